import RoomServer

/// A backup that a broker has made, ready to be fetched.
struct AdminBackup: Decodable, Equatable, Sendable {
    struct File: Decodable, Equatable, Sendable {
        let name: String
        let bytes: Int64
        let sha256: String
    }

    let id: String
    let created: String
    let files: [File]

    /// The names become those of files on this machine, and whoever answers need not be a broker.
    ///
    /// - Throws: where they are not exactly those of a backup.
    func checkNames() throws(CommandFailure) {
        guard self.files.map(\.name).sorted() == BackupFolder.fileNames.sorted() else {
            let names = self.files.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                code: .refused,
                text: "the server has made no backup that this version knows: its files are \(names)"
            )
        }
    }

    var manifest: BackupManifest {
        BackupManifest(
            id: self.id,
            created: self.created,
            files: self.files.map { .init(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
        )
    }
}
