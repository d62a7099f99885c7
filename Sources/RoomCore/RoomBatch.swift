package import RoomModel

/// What a room takes in one go: its steps in order, to be stamped, encoded, committed if need be, and delivered.
package struct RoomBatch: Equatable {
    package var steps: [RoomStep] = []
    /// Whether the store has to commit it before anybody may see it.
    package var needsCommit = false

    package init() {}
}

/// One thing that happens in a room, at its place in the room's order.
package enum RoomStep: Equatable {
    /// `seq` is `nil` for an ephemeral message.
    case message(PublishCommand, seq: UInt64?)
    /// A repeat of a message that the room has: answer as the first one was answered.
    case duplicate(PublishCommand)
    /// Not for the connection of a member that leaves.
    case presence(PresenceChange, Sender, excluding: ConnectionRef?)
    /// A line for the plain-text members: this name has joined.
    case named(Sender, name: String)
    /// Let this subscriber in here. `seq` is the newest message's; `snapshot` are the members where the room shows them.
    case attach(JoinCommand, seq: UInt64, snapshot: MemberSnapshot?)
    /// This connection is no subscriber any more.
    case detach(ConnectionRef, WireFormat)
    /// The same, and its member has been taken out by a moderator.
    case remove(ConnectionRef, WireFormat, KickCommand)
    /// The answer to a kick.
    case kicked(Origin, wasMember: Bool)
    case notice(Notice, Sender)
    case refuse(Origin, RequestError)
    case refuseJoin(JoinCommand, RequestError)
    case members(Origin, MemberSnapshot)
    case history(Origin, HistoryRequest, seq: UInt64)
    /// A message can be looked up: all that came before is in the log.
    case located(Origin)
    /// The redaction gets this `seq`.
    case redaction(RedactCommand, seq: UInt64)
    /// All subscribers are told that the room was cleared; it goes on at 0 of this epoch.
    case cleared(ClearCommand, Epoch, snapshot: MemberSnapshot?)
    /// All subscribers have to start anew: from where they are, or, in a new epoch, after a gap.
    case logReread(isNewEpoch: Bool, seq: UInt64, snapshot: MemberSnapshot?)
    /// All subscribers are shown the members.
    case showMembers(MemberSnapshot)
}

package enum PresenceChange: String, Equatable, Sendable {
    case join = "observable_member_join"
    case leave = "observable_member_leave"
    case update = "observable_member_update"
}

/// The members of a room at one place in its order.
package struct MemberSnapshot: Equatable, Sendable {
    /// In the order of joining; none where there are more than are listed.
    package var members: [Sender]
    package var count: Int

    package init(members: [Sender], count: Int) {
        self.members = members
        self.count = count
    }
}
