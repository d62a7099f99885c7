package import RoomCore
package import RoomModel

/// How a broker orders its rooms, chosen once where it is put together: on their event loops, or by a log that several nodes follow.
package protocol RoomOrdering: Sendable {
    /// The one of so many shards that owns a room.
    func owner(of room: RoomKey, shards: Int) -> Int

    /// Orders the rooms of one shard.
    func sequencer(for owner: RoomOwner, shards: Int) -> any RoomSequencer

    /// Reads what is stored of the rooms that these shards own.
    func reader(of engine: any RoomEngine, over shards: [ShardRef]) -> any LogReader

    /// Has messages of an export become a room's history.
    func importHistory(
        _ part: LogImport,
        through gateway: RoomGateway
    ) async throws(HistoryImportError) -> ImportReceipt

    /// Returns when what this broker has applied to a room holds wherever the room is served.
    func settle(_ room: RoomKey, among shards: [ShardRef]) async

    /// The sessions that other nodes have; `nil`: the broker runs alone.
    var sessions: (any SessionExchange)? { get }

    /// Whether this broker knows what all nodes have agreed on; `nil`: the broker runs alone.
    var proof: ProofOfLife? { get }
}

extension RoomOrdering {
    /// Other nodes change the same rooms.
    package var isShared: Bool { self.sessions != nil }
}

/// Each room is ordered by the event loop that owns it.
package struct LoopOrdering: RoomOrdering {
    package init() {}

    package func owner(of room: RoomKey, shards: Int) -> Int { Int(room.stableHash % UInt64(shards)) }

    package func sequencer(for owner: RoomOwner, shards: Int) -> any RoomSequencer {
        LoopSequencer(owner, shards: shards)
    }

    package func reader(of engine: any RoomEngine, over shards: [ShardRef]) -> any LogReader { engine }

    package func settle(_ room: RoomKey, among shards: [ShardRef]) async {}

    package var sessions: (any SessionExchange)? { nil }
    package var proof: ProofOfLife? { nil }
}
