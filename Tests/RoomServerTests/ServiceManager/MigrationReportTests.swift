import Logging
import RoomStore
import Synchronization
import Testing

@testable import RoomServer

/// What a start says that takes over the messages of an earlier version, and when.
struct MigrationReportTests {
    private final class Said: Sendable {
        let lines = Mutex<[String]>([])
        let steps = Mutex<[UInt64]>([])
    }

    private let said = Said()

    /// A second for each of twelve messages.
    private func run(isShown: Bool) {
        let logger = Logger(label: "roomline.test") { [said] label in
            let line = LogLine.text(TextLogLine(usesColor: false))
            return LineLogHandler(label: label, line: line, threshold: LogThreshold(.info)) { text in
                said.lines.withLock { $0.append(text) }
            }
        }
        let show = { @Sendable [said] (moved: UInt64, total: UInt64) in
            #expect(total == 12)
            said.steps.withLock { $0.append(moved) }
        }
        let status = ServiceStatus(notifier: nil, logger: logger)
        let report = MigrationReport(status: status, logger: logger, show: isShown ? show : nil)
        let start = ContinuousClock.now
        report.progressed(to: .counting, now: start)
        for moved in 0...12 {
            report.progressed(to: .moved(UInt64(moved), of: 12), now: start + .seconds(moved))
        }
    }

    private func expect(_ figures: [String], steps: [UInt64]) {
        let (lines, shown) = (self.said.lines.withLock(\.self), self.said.steps.withLock(\.self))
        #expect(lines.first?.contains("eight seconds for each million") == true)
        #expect(lines.dropFirst().map { String($0.split(separator: "messages.moved=")[1]) } == figures)
        #expect(shown == steps)
    }

    @Test func `the log has a line every five seconds`() {
        self.run(isShown: false)
        self.expect(["5 messages.total=12\n", "10 messages.total=12\n", "12 messages.total=12\n"], steps: [])
    }

    @Test func `a bar takes the place of the lines between the first and the last`() {
        self.run(isShown: true)
        self.expect(["12 messages.total=12\n"], steps: Array(0...12))
    }
}
