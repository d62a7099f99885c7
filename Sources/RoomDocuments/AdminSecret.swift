import RoomModel
package import RoomWire

/// A channel's new secret: `RotatedSecret` in `Schemas/admin.openapi.yaml`.
public struct AdminSecret: AdminDocument, Equatable, Sendable {
    /// The secret, which no other answer shows again.
    public package(set) var secret = ""
    /// The version of the channel now.
    public package(set) var version: Int64 = 0
    /// The secrets before it that are still accepted.
    public package(set) var previousSecrets: [AdminChannel.PreviousSecret] = []

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("secret", &self.secret)
        try visitor.field("version", &self.version)
        try visitor.field("previous_secrets", &self.previousSecrets)
    }
}

/// A rotation of a secret: `Rotation` in `Schemas/admin.openapi.yaml`.
package struct AdminRotation: AdminDocument {
    /// How long the old secret is still accepted; `nil`: a day.
    package private(set) var overlap: Duration?

    package init(overlap: Duration?) { self.overlap = overlap }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.whole("overlap_seconds", &self.overlap, 0...Int(ChannelBounds.overlap.components.seconds))
    }
}
