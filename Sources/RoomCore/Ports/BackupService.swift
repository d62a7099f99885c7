package import NIOCore
package import RoomModel

/// The port to copies of all that the broker keeps, as of one moment, made while it goes on.
///
/// There is one at a time: made, fetched file by file, and removed. One that nobody fetches any more is removed after a
/// while, and all of them when the broker starts or stops. Calls come from any thread and never block it.
package protocol BackupService: Sendable {
    func make() async throws(BackupError) -> StoredBackup

    /// Opens one of the backup's files to be read from its beginning.
    func read(_ file: String, of id: String) throws(BackupError) -> any BackupReading

    func remove(_ id: String) async throws(BackupError)
}

/// One file of a backup, read piece by piece by one reader. It can be read to its end also when the backup is removed
/// meanwhile.
package protocol BackupReading: Sendable {
    /// How many there are in all.
    var bytes: Int64 { get }

    /// The next piece; `nil` at the end.
    func next() async throws(BackupError) -> ByteBuffer?
}

/// A backup that is complete.
package struct StoredBackup: Equatable, Sendable {
    package var id: String
    /// Unix milliseconds: what was acknowledged before is in it.
    package var created: Int64
    package var files: [BackupFile]

    package init(id: String, created: Int64, files: [BackupFile]) {
        self.id = id
        self.created = created
        self.files = files
    }
}

package enum BackupError: Error, Equatable, Sendable {
    /// Another one is being made or fetched.
    case underWay
    case notFound
    /// The text says why and what to do.
    case failed(String)
}
