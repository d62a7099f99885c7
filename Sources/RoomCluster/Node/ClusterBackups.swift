import RoomCore

/// Backups of a node of a cluster. What its rooms have when it is asked for one is in it, and a node that starts with it needs nothing of
/// the logs from before.
struct ClusterBackups: BackupService {
    let backups: any BackupService
    let history: FollowedHistory

    func make() async throws(BackupError) -> StoredBackup {
        guard await self.history.storeSnapshots() else {
            throw .failed(
                """
                this node cannot store all of its rooms now: a log elects a leader, or its disk is full; try again, or make the backup of \
                another node
                """
            )
        }
        return try await self.backups.make()
    }

    func read(_ file: String, of id: String) throws(BackupError) -> any BackupReading {
        try self.backups.read(file, of: id)
    }

    func remove(_ id: String) async throws(BackupError) { try await self.backups.remove(id) }
}
