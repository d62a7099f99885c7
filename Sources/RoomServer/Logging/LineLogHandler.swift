import FoundationEssentials
package import Logging

/// The backend of every logger of the broker: makes one line of a record and hands it on.
struct LineLogHandler: LogHandler {

    let label: String
    let line: LogLine
    let threshold: LogThreshold
    /// The level of this logger alone, where somebody has set it.
    private var ownLevel: Logger.Level?
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?
    let now: @Sendable () -> Date
    let write: @Sendable (String) -> Void

    init(
        label: String,
        line: LogLine,
        threshold: LogThreshold,
        now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.line = line
        self.threshold = threshold
        self.now = now
        self.write = write
    }

    var logLevel: Logger.Level {
        get { self.ownLevel ?? self.threshold.level }
        set { self.ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let record = LogRecord(
            time: self.now(),
            level: event.level,
            label: self.label,
            message: "\(event.message)",
            metadata: self.merged(event)
        )
        self.write(self.line.encode(record))
    }

    /// Values nearer to the place that logs win.
    private func merged(_ event: LogEvent) -> Logger.Metadata {
        var all = self.metadata
        all.merge(self.metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        if let error = event.error { all["error"] = "\(error)" }
        return all
    }
}

extension Logger {
    /// A logger whose lines have the form that the writer's have.
    package static func roomline(label: String, threshold: LogThreshold, writer: LogWriter) -> Logger {
        Logger(label: label) { label in
            LineLogHandler(label: label, line: writer.line, threshold: threshold, write: { writer.write($0) })
        }
    }

    /// For packages of others: what they tell at `info` and below is about their own insides.
    var ofPackage: Logger {
        var logger = self
        logger.logLevel = .notice
        return logger
    }
}
