package import RoomModel

/// All messages of a room are to go, and it begins anew.
package struct ClearCommand: Equatable, Sendable {
    package var origin: Origin
    /// The moderator or administrator who clears it.
    package var sender: Sender

    package init(origin: Origin, sender: Sender) {
        self.origin = origin
        self.sender = sender
    }
}

extension ClearCommand: RecordParts {
    package init(placeholder: ()) { self.init(origin: .blank, sender: .blank) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.part("origin", &self.origin)
        try visitor.part("sender", &self.sender)
    }
}
