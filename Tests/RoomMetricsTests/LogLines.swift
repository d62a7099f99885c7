import Logging
import NIOConcurrencyHelpers

/// A logger whose lines a test can look at: the message, then the metadata sorted by key.
struct LogLines: Sendable {
    private let box = NIOLockedValueBox<[String]>([])

    var all: [String] { self.box.withLockedValue(\.self) }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(box: self.box) }
    }

    private struct Handler: LogHandler {
        let box: NIOLockedValueBox<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            self.box.withLockedValue { $0.append(event.message.description + fields.joined()) }
        }
    }
}
