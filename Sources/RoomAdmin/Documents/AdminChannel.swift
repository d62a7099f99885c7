package import NIOCore
public import RoomClient
package import RoomJSON

/// A channel: `Channel` in `Schemas/admin.openapi.yaml`.
public struct AdminChannel: Equatable, Sendable {
    /// How much the rooms keep.
    public struct History: Decodable, Equatable, Sendable {
        /// The most messages of a room.
        public let count: Int
        /// The age of the oldest.
        public let ageSeconds: Double

        /// `nil` where it is null.
        package init?(_ tree: JSONTree?) {
            guard let count = tree?["count"]?.integer, let age = tree?["age_seconds"]?.seconds else { return nil }
            self.count = count
            self.ageSeconds = age
        }
    }

    /// A secret that was rotated out and is still accepted.
    public struct PreviousSecret: Decodable, Equatable, Sendable {
        /// The end of its time.
        public let expiresAt: AdminTime
    }

    /// Its id.
    public let id: String
    /// It changes with each change; a change can be made for one version only.
    public let version: Int64
    /// The settings that a flag of the broker's start names: they cannot be changed.
    public let locked: [String]
    /// The secrets that were rotated out and are still accepted.
    public let previousSecrets: [PreviousSecret]
    /// What signs its tokens; only in the answer to its creation.
    public let secret: String?
    /// The whole answer: `ChannelSetting` says where each setting is.
    private let document: JSONTree

    /// The value of a setting, such as `authentication` or `limits`; `nil` where the broker does not have it, or it is null.
    public func setting(_ name: String) -> JSON? { self[name].map { JSON(unchecked: $0.bytes) } }

    /// What all its rooms keep that no rule names; `nil`: nothing.
    public var history: History? { History(self["history"]) }

    /// The value of a field; `nil` where the broker does not have it, or it is null.
    package subscript(name: String) -> JSONTree? {
        let value = self.document[name]
        return value == .null ? nil : value
    }

    /// Whether the broker has this field: one of another version may have fewer settings.
    package func has(_ name: String) -> Bool { self.document[name] != nil }
}

extension AdminChannel: AdminDocument {
    package init(json: ByteBuffer) throws(AdminError) {
        let frame = try AdminResponse.decode(Frame.self, from: json)
        self.id = frame.id
        self.version = frame.version
        self.locked = frame.locked
        self.previousSecrets = frame.previousSecrets
        self.secret = frame.secret
        // It throws for what is not JSON, and this has been read as some already.
        self.document = (try? JSONTree.read(json)) ?? .null
    }

    /// The fields that are no settings.
    private struct Frame: Decodable {
        let id: String
        let version: Int64
        let locked: [String]
        let previousSecrets: [PreviousSecret]
        let secret: String?
    }
}

/// A channel's new secret: `RotatedSecret` in `Schemas/admin.openapi.yaml`.
public struct AdminSecret: AdminDocument, Decodable, Equatable, Sendable {
    /// The secret, which no other answer shows again.
    public let secret: String
    /// The version of the channel now.
    public let version: Int64
    /// The secrets before it that are still accepted.
    public let previousSecrets: [AdminChannel.PreviousSecret]
}

extension JSONTree {
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var integer: Int? {
        guard case .number(let digits) = self else { return nil }
        return Int(digits)
    }

    package var seconds: Double? {
        guard case .number(let digits) = self else { return nil }
        return Double(digits)
    }

    package var elements: [JSONTree] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    package var fields: [Field] {
        guard case .object(let fields) = self else { return [] }
        return fields
    }
}
