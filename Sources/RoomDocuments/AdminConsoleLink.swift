package import RoomWire

/// A link that signs in to the console: `ConsoleLink` in `Schemas/admin.openapi.yaml`.
public struct AdminConsoleLink: AdminDocument, Equatable, Sendable {
    /// The link.
    public package(set) var url = ""
    /// The time until which it works.
    public package(set) var expiresAt = AdminTime(rawValue: "")

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("url", &self.url)
        try visitor.field("expires_at", &self.expiresAt)
    }
}
