package import NIOCore
package import RoomModel

/// `notice`: somebody has something to say to all.
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

    package init(
        room: RoomName?,
        text: String,
        code: String?,
        seconds: Int?,
        sender: ByteBuffer
    ) {
        self.room = room
        self.text = text
        self.code = code
        self.seconds = seconds
        self.sender = sender
    }
}
