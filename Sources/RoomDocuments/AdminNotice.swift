package import RoomWire

/// A notice to be sent: `NewNotice` in `Schemas/admin.openapi.yaml`.
package struct NewAdminNotice: AdminDocument {
    package private(set) var text = ""

    package init(_ text: String) { self.text = text }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("text", &self.text, .like("a text"))
    }
}

/// How many a notice has reached: `Notified` in `Schemas/admin.openapi.yaml`.
public struct NotifiedConnections: AdminDocument, Equatable, Sendable {
    /// The number of connections.
    public package(set) var reached = 0

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("reached", &self.reached, .atLeast(0))
    }
}
