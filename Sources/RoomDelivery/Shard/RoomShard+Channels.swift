import NIOCore
package import RoomCore
package import RoomModel

/// Channels that change while people are in them.
extension RoomShard {
    /// Uses the channel's new settings from now on. What is on its way to the store goes by the old ones.
    package func channelChanged(_ channel: RoomChannel) {
        self.context.channels.set(channel)
        for connection in self.connections.all(in: channel.id) { connection.member?.channelChanged(channel) }
        self.owner.channelChanged(channel)
    }

    /// Disconnects all members of the channel and forgets its rooms.
    package func channelRemoved(_ id: ChannelID) {
        self.context.channels.remove(id)
        self.context.sanctions.removed(id)
        for connection in self.connections.all(in: id) {
            connection.goodbye(.unknownChannel, reason: "this channel has been deleted")
        }
        self.local.channelRemoved(id)
        _ = self.sessions.end { $0.channel == id }
        self.owner.channelRemoved(id)
    }
}
