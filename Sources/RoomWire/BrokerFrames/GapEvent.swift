package import RoomModel

/// `gap`: messages of the room that this client does not get.
package struct GapEvent: Equatable, Sendable {
    package let room: RoomName
    /// As the broker wrote it.
    package let epoch: String
    package let from: UInt64
    /// Below `from` where the log is another one, so that nothing can be counted.
    package let through: UInt64
    /// A word of the protocol's; newer brokers may have newer ones.
    package let reason: String

    package init(room: RoomName, epoch: String, from: UInt64, through: UInt64, reason: String) {
        self.room = room
        self.epoch = epoch
        self.from = from
        self.through = through
        self.reason = reason
    }
}
