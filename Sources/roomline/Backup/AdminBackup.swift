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

    var manifest: BackupManifest {
        BackupManifest(
            id: self.id,
            created: self.created,
            files: self.files.map { .init(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
        )
    }
}
