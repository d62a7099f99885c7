package import NIOCore
package import RoomWire

/// An entry of the audit log: `AuditEntry` in `Schemas/admin.openapi.yaml`.
public struct AdminAuditEntry: AdminDocument, Equatable, Sendable {
    /// The time of the change.
    public package(set) var time = AdminTime(rawValue: "")
    /// Its author: `uid:0`, `token:ops`, `member:17`, `start`.
    public package(set) var actor = ""
    /// The origin of the request: `unix` or an address.
    public package(set) var origin = ""
    /// The action, such as `channel.create`.
    public package(set) var action = ""
    /// The channel, room or token.
    public package(set) var target = ""
    package var detailsBytes: ByteBuffer?

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("time", &self.time)
        try visitor.field("actor", &self.actor)
        try visitor.field("origin", &self.origin)
        try visitor.field("action", &self.action)
        try visitor.field("target", &self.target)
        try visitor.field("details", &self.detailsBytes, .object)
    }
}
