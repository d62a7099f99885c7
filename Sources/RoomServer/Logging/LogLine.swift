import FoundationEssentials
import Logging

/// One thing to be logged, with all that belongs to it.
struct LogRecord {
    var time: Date
    var level: Logger.Level
    var label: String
    var message: String
    var metadata: Logger.Metadata

    /// What the log says of itself, now.
    static func warning(_ message: String, _ metadata: Logger.Metadata) -> LogRecord {
        LogRecord(time: Date(), level: .warning, label: "roomline", message: message, metadata: metadata)
    }

    /// RFC 3339 with milliseconds, in UTC.
    var timeText: String {
        self.time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// In the order of the keys, so that equal records look the same.
    var sortedMetadata: [(key: String, value: Logger.MetadataValue)] {
        self.metadata.sorted { $0.key < $1.key }
    }
}

/// The form of a line of the log.
enum LogLine: Sendable {
    case text(TextLogLine)
    case json(JSONLogLine)

    init(_ format: LogFormat, usesColor: Bool) {
        switch format {
        case .text: self = .text(TextLogLine(usesColor: usesColor))
        case .json: self = .json(JSONLogLine())
        }
    }

    func encode(_ record: LogRecord) -> String {
        switch self {
        case .text(let line): line.encode(record)
        case .json(let line): line.encode(record)
        }
    }
}

/// A record for people: `2026-01-31T12:00:00.000Z info  listening tcp.address=127.0.0.1:10000`.
///
/// Clients choose names that end up in metadata. Nothing of them reaches the terminal that could end the line, start
/// another or colour it: see `String.sanitized`.
struct TextLogLine {
    var usesColor: Bool

    func encode(_ record: LogRecord) -> String {
        let level = record.level.rawValue.padded(to: 8)
        var line = "\(record.timeText) \(self.painted(level, for: record.level)) \(record.message.sanitized)"
        for (key, value) in record.sortedMetadata {
            line += " \(key.sanitized)=\(self.text(value))"
        }
        return line + "\n"
    }

    private func text(_ value: Logger.MetadataValue) -> String {
        let text = "\(value)"
        return text.isPlainWord ? text : "\"\(text.sanitized(alsoEscaping: "\"\\"))\""
    }

    private func painted(_ text: String, for level: Logger.Level) -> String {
        guard self.usesColor else { return text }
        let color =
            switch level {
            case .trace, .debug: 2
            case .info, .notice: 32
            case .warning: 33
            case .error, .critical: 31
            }
        return "\u{1b}[\(color)m\(text)\u{1b}[0m"
    }
}

/// A record for machines: one JSON object in one line.
struct JSONLogLine {
    func encode(_ record: LogRecord) -> String {
        let fields = [
            ("time", self.quoted(record.timeText)),
            ("level", self.quoted(record.level.rawValue)),
            ("label", self.quoted(record.label)),
            ("message", self.quoted(record.message)),
            ("metadata", self.object(record.metadata)),
        ]
        return self.object(fields) + "\n"
    }

    private func value(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): self.quoted(text)
        case .stringConvertible(let value): self.quoted("\(value)")
        case .dictionary(let metadata): self.object(metadata)
        case .array(let values): "[\(values.map(self.value).joined(separator: ","))]"
        }
    }

    /// In the order of the keys, so that equal records look the same.
    private func object(_ metadata: Logger.Metadata) -> String {
        self.object(metadata.sorted { $0.key < $1.key }.map { ($0.key, self.value($0.value)) })
    }

    private func object(_ fields: [(key: String, value: String)]) -> String {
        "{\(fields.map { "\(self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
    }

    private func quoted(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": json += "\\\(scalar)"
            case "\n": json += "\\n"
            case let scalar where scalar.isUnsafeInLine: json += self.escape(scalar)
            default: json.unicodeScalars.append(scalar)
            }
        }
        return json + "\""
    }

    private func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16) }
                .joined()
        } ?? ""
    }
}

extension String {
    /// Fit to be shown in a line of a terminal: what would change how the rest is shown stands as its number.
    package var sanitized: String { self.sanitized(alsoEscaping: "") }

    /// - Parameter marks: get a backslash before them.
    func sanitized(alsoEscaping marks: String) -> String {
        var text = ""
        for scalar in self.unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case let scalar where scalar.isUnsafeInLine: text += "\\u{\(String(scalar.value, radix: 16))}"
            case let scalar where marks.unicodeScalars.contains(scalar): text += "\\\(scalar)"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Needs no quotes to be told from what is around it.
    var isPlainWord: Bool {
        !self.isEmpty && self.unicodeScalars.allSatisfy { !$0.isUnsafeInLine && !" \"\\=".unicodeScalars.contains($0) }
    }
}

extension Unicode.Scalar {
    /// Control characters, line separators, and what turns the direction of writing or hides itself.
    var isUnsafeInLine: Bool {
        switch self.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
