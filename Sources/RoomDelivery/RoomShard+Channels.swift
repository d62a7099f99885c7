import NIOCore
import RoomCore
import RoomModel

/// Channels that change while people are in them.
extension RoomShard {
    /// Uses the channel's new settings from now on. What is on its way to the store goes by the old ones.
    func channelChanged(_ channel: RoomChannel) {
        self.channels.set(channel)
        for connection in self.connections(in: channel.id) { connection.channelChanged(channel) }
        for owned in self.rooms(in: channel.id) {
            if owned.room.channelChanged(channel, epoch: Epoch(rawValue: self.entropy.next())) {
                self.restartWindow(of: owned)
            }
            self.enqueue(owned)
        }
    }

    func adoptNextChannel(_ owned: OwnedRoom) {
        if owned.room.adoptNextChannel() { self.restartWindow(of: owned) }
    }

    /// Lets all members of the channel go and forgets its rooms.
    func channelRemoved(_ id: ChannelID) {
        self.channels.remove(id)
        for connection in self.connections(in: id) {
            connection.goodbye(.unknownChannel, reason: "this channel has been deleted")
        }
        for owned in self.rooms(in: id) {
            self.clearWindow(of: owned)
            self.remove(owned)
        }
        self.replicas = self.replicas.filter { $0.key.channel != id }
        self.outside.channelRemoved(id)
    }

    /// In the order of connecting.
    func connections(in channel: ChannelID) -> [Connection] {
        self.connections.keys.sorted().compactMap { number in
            self.connections[number].flatMap { $0.session.identity?.channel.id == channel ? $0 : nil }
        }
    }

    func rooms(in channel: ChannelID) -> [OwnedRoom] {
        self.owned.values.filter { $0.key.channel == channel }
    }

    /// The command, or its refusal where it would bring a room to life and there were too many of those lately.
    func admitted(_ command: RoomCommand, to owned: OwnedRoom) -> RoomCommand {
        switch command {
        case .join(let join) where owned.room.members.isEmpty && !join.isResync:
            guard let error = self.newRoomRefusal(of: join.clientID, owned) else {
                owned.isNew = false
                return command
            }
            return .refuseJoin(join, error)
        case .publish(let publish) where owned.isNew:
            guard let error = self.newRoomRefusal(of: publish.sender.clientID, owned) else {
                owned.isNew = false
                return command
            }
            return .refuse(publish.origin, publish.refused(error, in: owned.key.room))
        default:
            return command
        }
    }

    private func newRoomRefusal(of member: ClientID?, _ owned: OwnedRoom) -> RequestError? {
        owned.room.channel.newRoomRefusal(of: member, now: self.now.uptimeNanoseconds)
    }
}
