/// A file of a backup, as the broker tells of it and as the backup's manifest keeps it.
package struct BackupFile: Codable, Equatable, Sendable {
    package var name: String
    package var bytes: Int64
    /// 64 hexadecimal digits.
    package var sha256: String

    package init(name: String, bytes: Int64, sha256: String) {
        self.name = name
        self.bytes = bytes
        self.sha256 = sha256
    }
}
