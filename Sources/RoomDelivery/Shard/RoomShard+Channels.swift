import NIOCore
package import RoomCore
package import RoomModel

/// Channels that change while people are in them.
extension RoomShard {
    /// Uses the channel's new settings from now on. What is on its way to the store goes by the old ones.
    package func channelChanged(_ channel: RoomChannel) {
        self.channels.set(channel)
        for connection in self.connections.all(in: channel.id) { connection.channelChanged(channel) }
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

    /// Disconnects all members of the channel and forgets its rooms.
    package func channelRemoved(_ id: ChannelID) {
        self.channels.remove(id)
        self.sanctions.removed(id)
        for connection in self.connections.all(in: id) {
            connection.goodbye(.unknownChannel, reason: "this channel has been deleted")
        }
        for owned in self.rooms(in: id) {
            self.clearWindow(of: owned)
            self.remove(owned)
        }
        self.replicas = self.replicas.filter { $0.key.channel != id }
        _ = self.sessions.end { $0.channel == id }
        for answer in self.externalRequests.takeAll(of: id) { answer(.refused(Session.unknownChannel)) }
    }

    func rooms(in channel: ChannelID) -> [OwnedRoom] {
        self.owned.values.filter { $0.key.channel == channel }
    }

    /// Why a command cannot bring a room to life: there were too many of those lately.
    func newRoomRefusal(of command: RoomCommand, _ owned: OwnedRoom) -> RequestError? {
        guard owned.isNew else { return nil }
        let member: ClientID?
        switch command {
        case .join(let join) where !join.isResync: member = join.clientID
        case .publish(let publish): member = publish.sender.clientID
        default: return nil
        }
        let now = self.now.uptimeNanoseconds
        if let error = owned.room.channel.newRoomRefusal(of: member, now: now) { return error }
        owned.isNew = false
        return nil
    }

    /// Answers a command that does not get into its room.
    func refuse(_ command: RoomCommand, to key: RoomKey, _ error: RequestError) {
        switch command {
        case .publish(let publish): self.answer(publish.origin, publish.refused(error, in: key.room))
        case .members(let origin), .history(let origin, _), .locate(let origin):
            self.answer(origin, error.answering(origin.callback))
        case .redact(let redaction): self.answer(redaction.origin, error)
        case .clear(let clear): self.answer(clear.origin, error)
        case .refuse(let origin, let error): self.answer(origin, error)
        case .join(let join), .refuseJoin(let join, _):
            self.peers[join.connection.shard].post { shard in
                shard.connections[join.connection.number]?.joinRefused(key.room, error)
            }
        case .kick(let kick): self.answer(kick.origin, error)
        case .leave, .linger, .graceEnded, .update, .rename, .notice, .rules, .logReread, .showMembers, .tellCleared:
            return
        }
    }

    private func answer(_ origin: Origin, _ error: RequestError) {
        self.peers[origin.connection.shard].post { shard in shard.refused(error, to: origin) }
    }
}
