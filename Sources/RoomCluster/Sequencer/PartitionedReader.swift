import RoomCore
import RoomDelivery
import RoomModel

/// Reads rooms of all partitions, each through the `PartitionReader` of the shard that owns it.
struct PartitionedReader: LogReader {
    let shards: [ShardRef]
    let cluster: ClusterEnvironment

    func read(_ query: LogQuery, completion: @escaping @Sendable (Result<LogPage, EngineError>) -> Void) {
        self.ask(query.log, completion) { $0.read(query, completion: completion) }
    }

    func find(
        _ id: UniqueID,
        in log: LogID,
        completion: @escaping @Sendable (Result<UInt64?, EngineError>) -> Void
    ) {
        self.ask(log, completion) { $0.find(id, in: log, completion: completion) }
    }

    private func ask<Answer>(
        _ log: LogID,
        _ completion: @escaping @Sendable (Result<Answer, EngineError>) -> Void,
        _ read: @escaping @Sendable (PartitionReader) -> Void
    ) {
        // a partition names its logs by their rooms
        guard let room = log.new?.room else { return completion(.failure(.reset)) }
        self.shards[self.cluster.owner(of: room, shards: self.shards.count)].post { shard in
            guard let partition = (shard.owner.sequencer as? LogSequencer)?.partition(of: room) else {
                return completion(.failure(.unavailable))
            }
            read(partition.reader)
        }
    }
}
