/// Takes the files of a node out of its cluster, in place.
package enum LeftCluster {
    /// They become those of a broker that runs alone. Every room gets another epoch: the cluster may have given more messages than the node
    /// has stored.
    ///
    /// - Throws: `DataDirectoryError` where a broker has the directory; else what SQLite says, and then another call goes on.
    package static func leave(_ path: String) throws {
        let target = try RestoreTarget(path)
        defer { target.close() }
        try RestoredHistory.prepare("\(path)/\(BackupStore.historyName)", leavesCluster: true)
        try ControlStore.leaveCluster("\(path)/\(BackupStore.controlName)")
    }
}
