package import RoomModel

/// The consequences for a member of bans and mutes that hold for it now and did not before, or the other way round.
package struct ActiveSanctionsChange: Equatable, Sendable {
    /// It has to leave the channel.
    package var channelBan: Sanction?
    /// It has to leave these rooms.
    package var roomBans: [RoomName: Sanction] = [:]
    /// To be told, where the member is in the room.
    package var muted: [Sanction] = []
    /// Where it may publish again.
    package var unmuted: [ActiveSanctions.Scope] = []

    init() {}
}
