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

extension KickCommand: RoomOperation {
    package func take(in room: inout Room, into batch: inout RoomBatch) {
        if let connection = room.detach(self.client) {
            let removal = MemberRemoval(reason: self.reason, sender: batch.shown(self.sender))
            batch.answer(RoomAnswer(to: connection, .removed(removal)))
        }
        room.remove(self.client, into: &batch)
        batch.answer(RoomAnswer(to: self.origin.connection, .moderated(.done)))
    }

    package init(placeholder: ()) { self.init(client: ClientID(""), reason: nil, sender: .blank, origin: .blank) }

    package mutating func parts<Visitor: RecordVisitor>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        let flags = try visitor.flags("flags of a kick", self.reason != nil)
        try visitor.part("client of a kick", &self.client)
        try visitor.part("reason of a kick", &self.reason, if: flags[0])
        try visitor.part("sender", &self.sender)
        try visitor.part("origin", &self.origin)
    }
}

/// The end of a membership, by a moderator.
package struct MemberRemoval: Equatable, Sendable {
    /// For people.
    package var reason: String?
    /// The moderator.
    package var sender: Sender

    package func error(in room: RoomName) -> RequestError {
        RequestError(.kicked, self.reason ?? "a moderator has kicked you out of this room", room: room)
    }

    /// For a client that has no codes, which would say what the reason is for.
    package func line(in room: RoomName) -> String {
        self.reason.map { "you were kicked out of this room: \($0)" } ?? self.error(in: room).text
    }

    /// Why a session is over in all rooms.
    package static func expulsion(reason: String?) -> RequestError {
        RequestError(.kicked, reason ?? "a moderator has ended your session in this channel")
    }
}
