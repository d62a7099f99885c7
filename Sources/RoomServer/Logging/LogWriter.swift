package import Dispatch
import Logging
import NIOConcurrencyHelpers

/// Writes what the broker says on standard error, on a thread of its own: who logs never waits for who reads.
///
/// What is not written yet is bounded. What does not fit, or cannot be written, is counted, and the count is written once
/// there is room.
package final class LogWriter: Sendable {
    /// Lines that wait for the thread, and those that are missing before and after them.
    private struct Lines {
        var lost = 0
        var bytes: [UInt8] = []
        var dropped = 0

        /// How many are missing when it is not written.
        var count: Int { self.lost + self.bytes.count { $0 == LogWriter.newline } + self.dropped }
    }

    private struct State {
        var lines = Lines()
        /// Whether the thread is at work. It goes on until nothing waits.
        var isBusy = false
        /// Whether the last line that was written lacks its end, as on a disk that is full.
        var isCut = false
    }

    /// How many bytes wait at most; as many more are being written.
    static let capacity = 512 * 1_024
    private static let newline = UInt8(ascii: "\n")

    /// The form of the lines: also of the one that says how many are missing.
    let line: LogLine
    private let output: @Sendable ([UInt8]) -> Int
    private let state = NIOLockedValueBox(State())
    private let thread = DispatchQueue(label: "roomline.log")
    /// Entered while the thread is at work.
    private let work = DispatchGroup()

    /// - Parameter output: waits for the reader; returns how many of the bytes it took: fewer than all where the others cannot be
    ///   written.
    package init(_ format: LogFormat, usesColor: Bool, output: @escaping @Sendable ([UInt8]) -> Int) {
        self.line = LogLine(format, usesColor: usesColor)
        self.output = output
    }

    /// Writes it behind what came before; returns at once.
    package func write(_ text: String) {
        let mustStart = self.state.withLockedValue { state in
            // Those that are missing come behind what waits, so nothing is added before it is written.
            if state.lines.dropped > 0 || state.lines.bytes.count + text.utf8.count > Self.capacity {
                state.lines.dropped += 1
            } else {
                state.lines.bytes += text.utf8
            }
            defer { state.isBusy = true }
            if !state.isBusy { self.work.enter() }
            return !state.isBusy
        }
        if mustStart { self.thread.async { self.writeAll() } }
    }

    /// Waits until all is written, but not long for a reader who does not come: for the end of the process.
    package func flush(within patience: DispatchTimeInterval = .milliseconds(500)) {
        // Where the time is over, nobody reads, and nobody could be told.
        _ = self.work.wait(timeout: .now() + patience)
    }

    private func writeAll() {
        var lost = 0
        while var lines = self.next(lost: lost) {
            self.write(&lines)
            lost = lines.count
        }
    }

    /// - Parameter lost: how many before them could not be written.
    /// - Returns: `nil`: nothing waits, and the thread rests.
    private func next(lost: Int) -> Lines? {
        self.state.withLockedValue { state in
            state.lines.lost += lost
            // What failed is not tried again before there is something new.
            guard !state.lines.bytes.isEmpty || state.lines.dropped > 0 else {
                state.isBusy = false
                self.work.leave()
                return nil
            }
            defer { state.lines = Lines() }
            return state.lines
        }
    }

    /// - Parameter lines: in the end, those that are not written.
    private func write(_ lines: inout Lines) {
        if self.state.withLockedValue(\.isCut), self.put([Self.newline]) == 0 { return }
        if lines.lost > 0 {
            let notice = self.notice(of: lines.lost)
            guard self.put(notice) == notice.count else { return }
            lines.lost = 0
        }
        lines.bytes.removeFirst(self.put(lines.bytes))
        if lines.bytes.isEmpty, lines.dropped > 0 {
            let notice = self.notice(of: lines.dropped)
            guard self.put(notice) == notice.count else { return }
            lines.dropped = 0
        }
    }

    private func put(_ bytes: [UInt8]) -> Int {
        let written = self.output(bytes)
        if written > 0 {
            let isCut = written < bytes.count && bytes[written - 1] != Self.newline
            self.state.withLockedValue { $0.isCut = isCut }
        }
        return written
    }

    private func notice(of dropped: Int) -> [UInt8] {
        let record = LogRecord.warning(
            "lines of the log are missing here: nobody read them in time, or they could not be written",
            ["dropped": "\(dropped)"]
        )
        return Array(self.line.encode(record).utf8)
    }
}
