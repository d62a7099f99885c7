import FoundationEssentials
import Logging

/// One thing to be logged, with all that belongs to it.
struct LogRecord {
    var time: Date
    var level: Logger.Level
    var label: String
    var message: String
    var metadata: Logger.Metadata

    /// RFC 3339 with milliseconds, in UTC.
    var timeText: String {
        self.time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// In the order of the keys, so that equal records look the same.
    var sortedMetadata: [(key: String, value: Logger.MetadataValue)] {
        self.metadata.sorted { $0.key < $1.key }
    }
}
