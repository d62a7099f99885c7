package import NIOCore
package import RoomModel

/// `notice`: a moderator or an administrator addresses everybody.
package struct NoticeEvent: Equatable, Sendable {
    /// `nil`: the whole channel.
    package let room: RoomName?
    /// For people.
    package let text: String
    /// A word of the protocol's; newer brokers may have newer ones.
    package let code: String?
    /// With `slow_mode`; 0: off.
    package let seconds: Int?
    /// The JSON object, see ``SenderObject``.
    package let sender: ByteBuffer
}

/// `muted` and `unmuted`: whether this client may publish.
package struct MuteEvent: Equatable, Sendable {
    /// `nil`: the whole channel.
    package let room: RoomName?
    package let isMuted: Bool
    /// For people.
    package let reason: String?
    /// Unix seconds.
    package let until: Int64?
}

/// `room_cleared`: a moderator has deleted all messages.
package struct ClearingEvent: Equatable, Sendable {
    package let room: RoomName
    /// As the broker wrote it.
    package let epoch: String
    /// The place in that epoch from which the room continues.
    package let seq: UInt64
    /// The JSON object, see ``SenderObject``.
    package let sender: ByteBuffer
}
