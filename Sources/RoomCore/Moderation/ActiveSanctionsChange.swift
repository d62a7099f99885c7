package import RoomModel

/// The consequences for a member of bans and mutes that hold for it now and did not before, or the other way round.
package struct ActiveSanctionsChange: Equatable, Sendable {
    /// It has to leave the channel.
    package var channelBan: Sanction?
    /// It has to leave these rooms.
    package var roomBans: [RoomName: Sanction] = [:]
    /// To be told, where the member is in the room.
    package var mutes: [MuteChange] = []

    init() {}
}

/// A mute that began, or is another one now.
package struct MuteChange: Equatable, Sendable {
    package var scope: ActiveSanctions.Scope
    /// `nil`: the member may publish again.
    package var mute: Sanction?

    package init(scope: ActiveSanctions.Scope, mute: Sanction?) {
        (self.scope, self.mute) = (scope, mute)
    }
}
