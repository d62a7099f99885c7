import NIOCore
import RoomJSON
import RoomModel

/// A channel as the admin API shows it: `Channel` in `Schemas/admin.openapi.yaml`.
struct AdminChannel: AdminDocument, Equatable, Sendable {
    struct History: Decodable, Equatable, Sendable {
        let count: Int
        let ageSeconds: Double

        /// `nil` where it is null.
        init?(_ tree: JSONTree?) {
            guard let count = tree?["count"]?.integer, let age = tree?["age_seconds"]?.seconds else { return nil }
            self.count = count
            self.ageSeconds = age
        }
    }

    struct PreviousSecret: Decodable, Equatable, Sendable {
        let expiresAt: String
    }

    /// The fields that are no settings.
    private struct Frame: Decodable {
        let id: String
        let version: Int64
        let locked: [String]
        let previousSecrets: [PreviousSecret]
        let secret: String?
    }

    let id: String
    let version: Int64
    let locked: [String]
    let previousSecrets: [PreviousSecret]
    /// Only in the answer to its making.
    let secret: String?
    /// The whole answer: `ChannelSetting` says where each setting is.
    private let document: JSONTree

    init(json: ByteBuffer) throws(CommandFailure) {
        let frame = try AdminResponse.decode(Frame.self, from: json)
        self.id = frame.id
        self.version = frame.version
        self.locked = frame.locked
        self.previousSecrets = frame.previousSecrets
        self.secret = frame.secret
        // It throws for what is no JSON, and this has been read as some already.
        self.document = (try? JSONTree.read(json)) ?? .null
    }

    /// The value of a field; `nil` where the broker does not have it, or it is null.
    subscript(name: String) -> JSONTree? {
        let value = self.document[name]
        return value == .null ? nil : value
    }

    /// Whether the broker has this field: one of another version may have fewer settings.
    func has(_ name: String) -> Bool { self.document[name] != nil }

    /// The word of a setting that has one.
    func word(_ name: String) -> String { self[name]?.string ?? "" }

    /// Whether any room keeps messages.
    var keepsHistory: Bool {
        self["history"] != nil || (self["history_rules"]?.elements ?? []).contains { $0["history"] != .null }
    }
}

extension AdminChannel.History? {
    /// `1000 messages, 30d`
    var text: String {
        self.map { "\($0.count) messages, \(ShownTime.duration(seconds: $0.ageSeconds))" } ?? "off"
    }
}

extension JSONTree {
    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integer: Int? {
        guard case .number(let digits) = self else { return nil }
        return Int(digits)
    }

    var seconds: Double? {
        guard case .number(let digits) = self else { return nil }
        return Double(digits)
    }

    var elements: [JSONTree] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var fields: [Field] {
        guard case .object(let fields) = self else { return [] }
        return fields
    }
}
