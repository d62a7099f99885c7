import RoomCore
import RoomDelivery

/// Backups of a node of a cluster. What its rooms have when it is asked for one is in it: the node's history is written behind them.
struct ClusterBackups: BackupService {
    let backups: any BackupService
    let partitions: Int
    let shards: [ShardRef]

    func make() async throws(BackupError) -> StoredBackup {
        for partition in 0..<self.partitions {
            // as `ShardEnvironment.owner` has it
            let shard = self.shards[partition % self.shards.count]
            let isStored = await withCheckedContinuation { continuation in
                shard.post { $0.whenStored(partition) { continuation.resume(returning: $0) } }
            }
            guard isStored else {
                throw .failed(
                    "this node cannot write its history now: look at its disk, or make the backup of another node"
                )
            }
        }
        return try await self.backups.make()
    }

    func read(_ file: String, of id: String) throws(BackupError) -> any BackupReading {
        try self.backups.read(file, of: id)
    }

    func remove(_ id: String) async throws(BackupError) { try await self.backups.remove(id) }
}
