package import RoomModel

/// A member to be taken out of a room by a moderator.
package struct KickCommand: Equatable, Sendable {
    package var client: ClientID
    package var reason: String?
    /// The moderator.
    package var sender: Sender
    package var origin: Origin

    package init(client: ClientID, reason: String?, sender: Sender, origin: Origin) {
        self.client = client
        self.reason = reason
        self.sender = sender
        self.origin = origin
    }
}

extension KickCommand: RecordParts {
    package init(placeholder: ()) { self.init(client: ClientID(""), reason: nil, sender: .blank, origin: .blank) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags("flags of a kick", self.reason != nil)
        try visitor.part("client of a kick", &self.client)
        try visitor.part("reason of a kick", &self.reason, if: flags[0])
        try visitor.part("sender", &self.sender)
        try visitor.part("origin", &self.origin)
    }
}
