import Logging
import Synchronization

/// Keeps what is logged, for tests to look at.
final class LogCollector: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let text: String
        let metadata: Logger.Metadata
    }

    private let collected = Mutex<[Line]>([])

    var logger: Logger {
        Logger(label: "test") { _ in Handler(collector: self) }
    }

    func lines(_ level: Logger.Level) -> [Line] {
        self.collected.withLock { $0.filter { $0.level == level } }
    }

    private struct Handler: LogHandler {
        let collector: LogCollector
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(level: event.level, text: "\(event.message)", metadata: event.metadata ?? [:])
            self.collector.collected.withLock { $0.append(line) }
        }
    }
}
