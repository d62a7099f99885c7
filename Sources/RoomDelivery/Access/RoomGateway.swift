import NIOConcurrencyHelpers
package import NIOCore
package import RoomCore
package import RoomDocuments
package import RoomModel

/// `RoomAccess` over the shards of this process.
package struct RoomGateway: RoomAccess {
    package let shards: [ShardRef]
    package let environment: ShardEnvironment
    package let reader: any LogReader
    /// For those who have no event loop, and so no table of their own.
    private let channels: NIOLockedValueBox<ChannelTable>
    /// As the shards were told last: whom a change concerns is found out here and not on their loops.
    let moderation: NIOLockedValueBox<[ChannelID: ChannelModeration]>

    package init(shards: [ShardRef], environment: ShardEnvironment) {
        self.shards = shards
        self.environment = environment
        self.reader = environment.ordering.reader(of: environment.engine, over: shards)
        self.channels = NIOLockedValueBox(environment.channels)
        self.moderation = NIOLockedValueBox(environment.moderation)
    }

    var engine: any RoomEngine { self.environment.engine }
    package var events: EventHub { self.environment.events }

    /// The channel as it is now.
    package func channel(_ id: String) -> RoomChannel? { self.channels.withLockedValue { $0[id] } }

    package func owner(of room: RoomKey) -> ShardRef {
        self.shards[self.environment.ordering.owner(of: room, shards: self.shards.count)]
    }

    /// Runs `work` on the shard's loop and gives what it gives.
    func ask<Value: Sendable>(
        _ shard: ShardRef,
        _ work: @escaping @Sendable (RoomShard) -> Value
    ) async -> Value {
        await shard.answer(work)
    }

    func askAll<Value: Sendable>(_ work: @escaping @Sendable (RoomShard) -> Value) async -> [Value] {
        await self.shards.askAll(work)
    }

    /// Has each shard in turn do something that takes many turns of its loop.
    private func sweepAll(_ work: @escaping @Sendable (RoomShard, @escaping @Sendable () -> Void) -> Void) async {
        for shard in self.shards {
            await withCheckedContinuation { continuation in shard.post { work($0) { continuation.resume() } } }
        }
    }

    // MARK: Publishing

    package func publish(
        _ message: ByteBuffer,
        to room: RoomKey,
        by publisher: ExternalPublisher,
        messageID: UniqueID?
    ) async throws(RequestError) -> ExternalPublishReceipt {
        let result = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.publish(message, to: room, by: publisher, messageID: messageID) {
                    continuation.resume(returning: $0)
                }
            }
        }
        return try result.get()
    }

    // MARK: Clients

    package func clientCount(in channel: ChannelID) -> Int { self.channel(channel.text)?.usage.connections ?? 0 }

    // MARK: Rooms

    package func rooms(in channel: ChannelID, _ query: RoomQuery) async -> RoomPage {
        await self.environment.directory.page(of: channel, query)
    }

    package func busiestRooms(in channel: ChannelID, naming most: Int) async -> [AdminRoomSummary] {
        var busiest: [AdminRoomSummary] = []
        for shard in self.shards {
            var sweep = await self.ask(shard) { $0.owner.rooms.sweep }
            while !sweep.isDone {
                let (found, rest) = await self.ask(shard) { [sweep] shard in
                    var sweep = sweep
                    return (shard.owner.busiest(in: channel, naming: most, of: &sweep), sweep)
                }
                // a room that has moved in the list is seen twice
                let names = Set(found.map { RoomName($0.name) })
                busiest = (busiest.filter { !names.contains(RoomName($0.name)) } + found).busiest(most)
                sweep = rest
            }
        }
        return busiest
    }

    package func room(_ room: RoomKey) async -> AdminRoom? {
        await self.ask(self.owner(of: room)) { $0.owner.detail(of: room) }
    }

    // MARK: History

    package func history(
        of room: RoomKey,
        _ request: HistoryRequest,
        for caller: String
    ) async throws(RequestError) -> HistoryFrames {
        let result: Result<HistoryFrames, RequestError> = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.readHistory(of: room, request, for: .administrator(caller)) {
                    continuation.resume(returning: $0)
                }
            }
        }
        return try result.get()
    }

    package func follow(
        _ room: RoomKey,
        after position: Position?,
        for caller: String
    ) async -> FollowedRoom? {
        let follower = RoomFollower(self, room, after: position, for: caller)
        guard await follower.begin() else { return nil }
        return FollowedRoom { await follower.next() }
    }

    package func trace(_ id: UniqueID, in room: RoomKey) async throws(RequestError) -> AdminTrace? {
        let owner = self.owner(of: room)
        var seq = await self.ask(owner) { $0.owner.findInWindow(id, of: room) }
        let stored = try await self.find(id, in: room)
        seq = seq ?? stored
        guard let seq, let detail = await self.room(room) else { return nil }
        let progress = await self.askAll { $0.local.progress(of: room, at: seq, newest: detail.seq) }
        var trace = AdminTrace(placeholder: ())
        (trace.id, trace.channel, trace.room) = ("\(id)", room.channel.text, room.room.text)
        (trace.time, trace.epoch) = (AdminTime(milliseconds: id.milliseconds), detail.epoch)
        (trace.seq, trace.stored) = (seq, stored != nil)
        trace.passed = progress.reduce(0) { $0 + $1.passed }
        trace.lagging = progress.flatMap(\.lagging).sorted { $0.id < $1.id }
        return trace
    }

    /// The message's `seq` in the store; `nil` where the room keeps no history or has no such message in it.
    private func find(_ id: UniqueID, in room: RoomKey) async throws(RequestError) -> UInt64? {
        let log: Result<LogID?, RequestError> = await withCheckedContinuation { continuation in
            self.owner(of: room).post { shard in
                shard.owner.readLog(of: room, HistoryRequest(room: room.room)) { _, result in
                    continuation.resume(returning: result.map(\.log))
                }
            }
        }
        if case .failure(let error) = log, error.code == .historyOff { return nil }
        guard let log = try log.get() else { return nil }
        let found: Result<UInt64?, EngineError> = await withCheckedContinuation { continuation in
            self.reader.find(id, in: log) { continuation.resume(returning: $0) }
        }
        do {
            return try found.get()
        } catch {
            throw RequestError(
                .storageUnavailable,
                "the history of this room cannot be read now; ask again",
                retryAfterMilliseconds: 1_000
            )
        }
    }

    // MARK: The whole broker

    package func statistics() async -> BrokerStatistics {
        var statistics = BrokerStatistics()
        let (first, rest) = (self.shards.first, self.shards.dropFirst())
        guard let first else { return statistics }
        let channels = await self.ask(first) { shard in
            shard.channels.all.map {
                BrokerStatistics.ChannelStatistics(
                    id: $0.id,
                    connections: $0.usage.connections,
                    rooms: $0.usage.rooms,
                    publishes: $0.usage.publishes
                )
            }
        }
        statistics.channels = channels
        statistics.rooms = channels.reduce(0) { $0 + $1.rooms }
        for shard in [first] + rest {
            let (connections, counters) = await self.ask(shard) { ($0.connectionTotal, $0.counters) }
            statistics.connections += connections
            statistics.members += counters.members
            statistics.publishes += counters.published.count
            statistics.deliveries += counters.delivered.count
            statistics.publishedBytes += counters.published.bytes
            statistics.deliveredBytes += counters.delivered.bytes
            statistics.errors += counters.errors.values.reduce(0, +)
        }
        return statistics
    }

    package func slowMembers(naming most: Int) async -> SlowMembers {
        var slow = SlowMembers()
        for shard in self.shards {
            var rest = await self.ask(shard) { $0.connections.unsortedNumbers }[...]
            while !rest.isEmpty {
                let some = rest
                let (found, count) = await self.ask(shard) { $0.slowMembers(among: some, naming: most) }
                slow.add(found, naming: most)
                rest = rest.dropFirst(count)
            }
        }
        return slow
    }

    package func busyConnections(naming most: Int) async -> BusyConnections {
        var busy = BusyConnections()
        for found in await self.askAll({ $0.flows.busy.latest }) { busy.add(found, naming: most) }
        return busy
    }

    /// The counters of each shard.
    package func counters() async -> [ShardCounters] {
        await self.askAll { $0.counters }
    }

    package func channelChanged(_ channel: RoomChannel) async {
        await self.sweepAll { shard, done in shard.channelChanged(channel, done: done) }
        self.channels.withLockedValue { $0.set(channel) }
        self.tell(.channelChanged(channel.id))
    }

    package func channelRemoved(_ id: ChannelID) async {
        self.channels.withLockedValue { $0.remove(id) }
        self.moderation.withLockedValue { $0[id] = nil }
        await self.sweepAll { shard, done in shard.channelRemoved(id, done: done) }
        await self.environment.directory.remove(id)
        self.tell(.channelRemoved(id))
    }

    private func tell(_ event: BrokerEvent.Kind) {
        self.events.post(time: self.environment.clock(), event)
    }
}
