import NIOCore
package import RoomCore
package import RoomModel

/// Channels that change while people are in them.
extension RoomShard {
    /// Connections and rooms that are looked at before the loop has other work to do.
    private static let connectionsAtOnce = 64
    private static let roomsAtOnce = 64

    /// Uses the channel's new settings from now on. A batch that is on its way to the store goes by the old ones.
    ///
    /// - Parameter done: called when all members and rooms go by them.
    package func channelChanged(_ channel: RoomChannel, done: @escaping @Sendable () -> Void = {}) {
        self.context.channels.set(channel)
        let numbers = self.connections.numbers(in: channel.id).sorted()
        self.forEach(numbers[...], by: Self.connectionsAtOnce) { connection in
            connection.member?.channelChanged(channel)
        } done: { shard in
            // those that come from now on have the new settings
            shard.change(shard.owner.rooms.sweep, to: channel, done: done)
        }
    }

    private func change(_ sweep: RoomSweep, to channel: RoomChannel, done: @escaping @Sendable () -> Void) {
        var sweep = sweep
        for owned in self.owner.rooms.next(Self.roomsAtOnce, of: &sweep) where owned.key.channel == channel.id {
            self.owner.channelChanged(channel, for: owned)
        }
        if sweep.isDone { return done() }
        self.afterIO { [sweep] in $0.change(sweep, to: channel, done: done) }
    }

    /// Disconnects all members of the channel and forgets its rooms.
    package func channelRemoved(_ id: ChannelID, done: @escaping @Sendable () -> Void = {}) {
        self.context.channels.remove(id)
        self.context.sanctions.removed(id)
        let numbers = self.connections.numbers(in: id).sorted()
        self.forEach(numbers[...], by: Self.connectionsAtOnce) { connection in
            connection.goodbye(.unknownChannel, reason: "this channel has been deleted")
        } done: { shard in
            shard.forgetReplicas(shard.local.replicas.sweep, of: id) { shard in
                shard.endLingering { _, session in
                    session.channel == id
                } done: { shard in
                    shard.forgetRooms(shard.owner.rooms.sweep, of: id) { shard in
                        shard.owner.refuseRequests(of: id)
                        done()
                    }
                }
            }
        }
    }

    /// Forgets the replicas of the rooms of a channel that is gone, some at a time.
    private func forgetReplicas(
        _ sweep: RoomSweep,
        of id: ChannelID,
        done: @escaping @Sendable (RoomShard) -> Void
    ) {
        var sweep = sweep
        for replica in self.local.replicas.next(Self.roomsAtOnce, of: &sweep) where replica.key.channel == id {
            self.local.remove(replica.key)
        }
        if sweep.isDone { return done(self) }
        self.afterIO { [sweep] in $0.forgetReplicas(sweep, of: id, done: done) }
    }

    /// The same for the rooms that the shard owns.
    private func forgetRooms(_ sweep: RoomSweep, of id: ChannelID, done: @escaping @Sendable (RoomShard) -> Void) {
        var sweep = sweep
        for owned in self.owner.rooms.next(Self.roomsAtOnce, of: &sweep) where owned.key.channel == id {
            self.owner.forget(owned)
        }
        if sweep.isDone { return done(self) }
        self.afterIO { [sweep] in $0.forgetRooms(sweep, of: id, done: done) }
    }

    // MARK: Many connections

    /// Does something with each of these connections that is still there, some at a time: the loop has others to serve.
    func forEach(
        _ numbers: ArraySlice<UInt64>,
        by count: Int,
        _ work: @escaping @Sendable (Connection) -> Void,
        done: @escaping @Sendable (RoomShard) -> Void
    ) {
        for number in numbers.prefix(count).sorted() { self.connections[number].map(work) }
        let rest = numbers.dropFirst(count)
        if rest.isEmpty { return done(self) }
        self.afterIO { $0.forEach(rest, by: count, work, done: done) }
    }

    /// Does something when the loop has looked at its sockets. A task that is posted would come before.
    func afterIO(_ work: @escaping @Sendable (RoomShard) -> Void) {
        self.context.afterIO(since: self.context.loopTicks, work)
    }
}
