import FoundationEssentials
package import Logging

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The backend of every logger of the broker: makes one line of a record and writes it out.
struct LineLogHandler: LogHandler {
    /// The two shapes of a line.
    enum Line: Sendable {
        case text(TextLogLine)
        case json(JSONLogLine)
    }

    let label: String
    let line: Line
    let threshold: LogThreshold
    /// The level of this logger alone, where somebody has set it.
    private var ownLevel: Logger.Level?
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?
    let now: @Sendable () -> Date
    let write: @Sendable (String) -> Void

    init(
        label: String,
        line: Line,
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
        switch self.line {
        case .text(let line): self.write(line.encode(record))
        case .json(let line): self.write(line.encode(record))
        }
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
    /// A logger to stderr, as the configuration asks for it.
    package static func roomline(
        label: String,
        settings: ProcessSettings,
        threshold: LogThreshold,
        environment: [String: String]
    ) -> Logger {
        let output = LogOutput.standardError
        let line: LineLogHandler.Line =
            switch settings.logFormat {
            case .text: .text(TextLogLine(usesColor: output.wantsColor(environment: environment)))
            case .json: .json(JSONLogLine())
            }
        return Logger(label: label) { label in
            LineLogHandler(label: label, line: line, threshold: threshold, write: { output.emit($0) })
        }
    }

    /// For packages of others: what they tell at `info` and below is about their own insides.
    var ofPackage: Logger {
        var logger = self
        logger.logLevel = .notice
        return logger
    }
}

/// Where lines of the log go: a file descriptor.
///
/// A line is one `write`, so lines of several threads never mix and no lock is needed.
struct LogOutput: Sendable {
    let descriptor: Int32

    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    /// Colours are for a terminal whose user has not asked to be spared (no-color.org).
    func wantsColor(environment: [String: String]) -> Bool {
        isatty(self.descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func emit(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = write(self.descriptor, start, rest.count)
                if count < 0, errno == EINTR { continue }
                // Nobody is left to be told that the log is gone.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
