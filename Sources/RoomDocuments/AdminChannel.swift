package import NIOCore
package import RoomJSON
package import RoomModel
package import RoomWire

/// A channel: `Channel` in `Schemas/admin.openapi.yaml`. Its settings are described by `ChannelSetting`, the rest here.
public struct AdminChannel: AdminDocument, Equatable, Sendable {
    /// How much the rooms keep.
    public struct History: AdminDocument, Equatable, Sendable {
        /// The most messages of a room.
        public package(set) var count = 0
        /// The age of the oldest.
        public package(set) var ageSeconds = 0.0

        package init(_ history: HistorySettings) {
            (self.count, self.ageSeconds) = (history.count, history.age / .seconds(1))
        }

        /// `nil` where it is null.
        package init?(_ tree: JSONTree?) {
            guard let count = tree?["count"]?.integer, let age = tree?["age_seconds"]?.seconds else { return nil }
            self.count = count
            self.ageSeconds = age
        }

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(
            _ visitor: inout Visitor
        ) throws(Visitor.Fault) {
            var age = Seconds(self.ageSeconds)
            try visitor.field("count", &self.count)
            try visitor.field("age_seconds", &age)
            self.ageSeconds = age.value
        }
    }

    /// A secret that was rotated out and is still accepted.
    public struct PreviousSecret: AdminDocument, Equatable, Sendable {
        /// The end of its time.
        public package(set) var expiresAt = AdminTime(rawValue: "")

        package init(expiresAt: AdminTime) { self.expiresAt = expiresAt }

        package init(placeholder: ()) {}

        package mutating func fields<Visitor: FieldVisitor & ~Copyable>(
            _ visitor: inout Visitor
        ) throws(Visitor.Fault) {
            try visitor.field("expires_at", &self.expiresAt)
        }
    }

    /// Its id.
    public package(set) var id = ""
    /// The number of its changes; a change can be made for one version only.
    public package(set) var version: Int64 = 0
    /// The settings that a flag of the broker's start names: they cannot be changed.
    public package(set) var locked: [String] = []
    /// The secrets that were rotated out and are still accepted.
    public package(set) var previousSecrets: [PreviousSecret] = []
    /// The secret that signs its tokens; only in the answer to its creation.
    public package(set) var secret: String?
    /// The whole answer: `ChannelSetting` says where each setting is.
    private var document = JSONTree.null

    package init(reading json: ByteBuffer, names: WordTable) throws(FieldFault) {
        self = try Self.read(json, names)
        // It throws for what is not JSON, and this has been read as some already.
        self.document = (try? JSONTree.read(json)) ?? .null
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("version", &self.version)
        try visitor.field("locked", &self.locked)
        try visitor.field("previous_secrets", &self.previousSecrets)
        try visitor.field("secret", &self.secret)
    }

    /// The history of all its rooms that no rule names; `nil`: none.
    public var history: History? { History(self["history"]) }

    /// The value of a field; `nil` where the broker does not have it, or it is null.
    package subscript(name: String) -> JSONTree? {
        let value = self.document[name]
        return value == .null ? nil : value
    }

    /// Whether the broker has this field: one of another version may have fewer settings.
    package func has(_ name: String) -> Bool { self.document[name] != nil }
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
