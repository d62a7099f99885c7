import DequeModule
import RoomModel

/// The subscribers that an entry of a room is for.
package struct Audience: Equatable, Sendable {
    /// A connection that must not get it.
    package var excluded: ConnectionRef?
    /// Only those who have asked to be shown the members.
    package var isOnRequest = false

    package static let all = Audience()
    package static let onRequest = Audience(isOnRequest: true)

    /// - Parameter asks: whether the connection has asked to be shown the members.
    package func includes(_ connection: ConnectionRef, asks: Bool) -> Bool {
        (asks || !self.isOnRequest) && connection != self.excluded
    }
}

/// The members whom a room shows who is in it.
extension Room {
    /// Those whom the room tells who comes and goes; `nil` where it is nobody, so that it has no entries of presence.
    var presenceAudience: Audience? {
        switch self.settings.presence {
        case .shown: .all
        case .onRequest: self.subscribers.asking > 0 ? .onRequest : nil
        case .hidden: nil
        }
    }

    /// What the member asks for from this join on.
    func asksPresence(_ join: JoinCommand) -> Bool {
        join.asksPresence ?? self.members[join.clientID]?.asksPresence ?? false
    }

    /// Whether the answer to a join has the list of members.
    func showsMembers(to join: JoinCommand) -> Bool {
        switch self.settings.presence {
        case .shown: join.wireFormat.hasControlFrames
        case .onRequest: join.wireFormat.hasControlFrames && self.asksPresence(join)
        case .hidden: false
        }
    }

    /// The room has other settings: the list is for all whom it shows the members from now on.
    mutating func presenceChanged(from before: Audience?) {
        guard let audience = self.presenceAudience, before != .all, before != audience, !self.members.isEmpty else {
            return
        }
        self.waiting.prepend(.followUp(.showMembers))
    }
}
