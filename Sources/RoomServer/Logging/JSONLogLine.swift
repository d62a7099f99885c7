import Logging

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
