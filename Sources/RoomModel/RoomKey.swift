/// A room within its channel: what identifies a log in the whole broker.
package struct RoomKey: Hashable, Sendable, CustomStringConvertible {
    package let channel: ChannelID
    package let room: RoomName

    package init(channel: ChannelID, room: RoomName) {
        self.channel = channel
        self.room = room
    }

    /// The same in every process: it picks the room's owner loop.
    package var stableHash: UInt64 { StableHash.of(self.channel.text, from: self.room.stableHash) }

    package var description: String { "\(self.channel)/\(self.room)" }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.room.stableHash)
    }
}
