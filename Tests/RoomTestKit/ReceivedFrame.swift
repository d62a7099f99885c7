import Foundation

/// One JSON frame as a client has read it: its fields, and the line for what has to pass byte by byte.
package struct ReceivedFrame: CustomStringConvertible {
    package let line: String
    private let fields: [String: Any]

    /// `nil` where the line is not JSON object.
    package init?(_ line: String) {
        guard let value = try? JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed),
            let fields = value as? [String: Any]
        else { return nil }
        self.line = line
        self.fields = fields
    }

    package var description: String { self.line }
    package var keys: Set<String> { Set(self.fields.keys) }

    package func text(_ key: String) -> String? { self.fields[key] as? String }
    package func number(_ key: String) -> Int? { self.fields[key] as? Int }
    package func flag(_ key: String) -> Bool? { self.fields[key] as? Bool }

    /// The value of a field that is an array of objects.
    package func list(_ key: String) -> [ReceivedFrame]? {
        (self.fields[key] as? [[String: Any]])?.map(ReceivedFrame.init(fields:))
    }

    package func object(_ key: String) -> ReceivedFrame? {
        (self.fields[key] as? [String: Any]).map(ReceivedFrame.init(fields:))
    }

    private init(fields: [String: Any]) {
        self.line = ""
        self.fields = fields
    }

    package var type: String? { self.text("type") }
    package var callback: Int? { self.number("callback") }
    package var room: String? { self.text("room") }
    package var seq: Int? { self.number("seq") }
    package var code: String? { self.text("code") }
    package var message: String? { self.text("message") }

    /// It has all three parts of the stamp.
    package var isStamped: Bool {
        self.text("id")?.count == 36 && self.number("timestamp") != nil && self.object("sender")?.text("id") != nil
    }

    /// The frame in short: `publish 3`, `gap 1-4 slow`, `observable_members`.
    package var summary: String {
        switch self.type {
        case "publish", "history_message": "\(self.type ?? "") \(self.seq.map(String.init) ?? "-")"
        case "gap":
            "gap \(self.number("from_seq") ?? -1)-\(self.number("to_seq") ?? -1) \(self.text("reason") ?? "")"
        case .some(let type): type
        case .none: self.code ?? "reply \(self.callback ?? -1)"
        }
    }
}
