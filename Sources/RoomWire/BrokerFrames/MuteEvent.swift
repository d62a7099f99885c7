package import RoomModel

/// `muted` and `unmuted`: whether this client may publish.
package struct MuteEvent: Equatable, Sendable {
    /// `nil`: the whole channel.
    package let room: RoomName?
    package let isMuted: Bool
    /// For people.
    package let reason: String?
    /// Unix seconds.
    package let until: Int64?

    package init(
        room: RoomName?,
        isMuted: Bool,
        reason: String?,
        until: Int64?
    ) {
        self.room = room
        self.isMuted = isMuted
        self.reason = reason
        self.until = until
    }
}
