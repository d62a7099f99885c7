package import RoomCore
import RoomDelivery
import RoomModel

/// The history of a node of a cluster, which is written behind the rooms: who reads the file itself waits here until it has what they have.
package struct FollowedHistory: Sendable {
    let partitions: Int
    let shards: [ShardRef]

    // MARK: What administrators ask of it

    package func backups(_ backups: any BackupService) -> any BackupService {
        ClusterBackups(backups: backups, history: self)
    }

    package func storedRooms(_ rooms: any StoredRoomList) -> any StoredRoomList {
        ClusterStoredRooms(rooms: rooms, history: self)
    }

    package func pruner(_ pruner: any HistoryPruner) -> any HistoryPruner {
        ClusterPruner(pruner: pruner, history: self)
    }

    // MARK: Partitions

    func partition(of room: RoomKey) -> Int { room.partition(among: self.partitions) }

    /// The loop that follows a partition, as `ShardEnvironment.owner` has it.
    func shard(of partition: Int) -> ShardRef { self.shards[partition % self.shards.count] }

    /// Waits until the history has what the rooms of a partition have now; `false` where it cannot be written.
    func has(_ partition: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            self.shard(of: partition).post { $0.whenStored(partition) { continuation.resume(returning: $0) } }
        }
    }

    /// The same for all partitions.
    func hasAll() async -> Bool {
        for partition in 0..<self.partitions {
            guard await self.has(partition) else { return false }
        }
        return true
    }

    /// Has the rooms of all partitions stored as they are now, with all that they have; `false` where that cannot be done.
    func storeSnapshots() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for partition in 0..<self.partitions {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        self.shard(of: partition).post {
                            $0.storeSnapshot(of: partition) { continuation.resume(returning: $0) }
                        }
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
    }
}
