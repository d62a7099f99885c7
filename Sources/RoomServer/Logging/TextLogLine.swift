import Logging

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
