import Foundation
import RoomJSON
package import RoomModel
import RoomStore

/// The description of a backup in its directory: `manifest.json`, written when all else is there and checked.
package struct BackupManifest: Codable, Equatable, Sendable {
    package static let name = "manifest.json"
    static let format = 1
    /// No manifest is as long.
    private static let mostBytes = 1 << 20

    /// The version of the format of the manifest and the directory.
    package var format: Int
    /// The version that wrote it.
    package var roomline: String
    package var id: String
    /// RFC 3339: what was acknowledged before is in the backup.
    package var created: String
    package var files: [BackupFile]

    package init(id: String, created: String, files: [BackupFile]) {
        self.format = Self.format
        self.roomline = BrokerVersion.text
        self.id = id
        self.created = created
        self.files = files
    }

    /// Returns when it and the names in the directory are on the disk.
    package func write(to folder: String) throws {
        let path = "\(folder)/\(Self.name)"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: path))
        try PrivateFile.sync(path)
        try PrivateFile.syncDirectory(folder)
    }

    static func read(_ folder: String) throws(BackupFolderError) -> BackupManifest {
        let path = "\(folder)/\(Self.name)"
        let bytes: Data
        do {
            bytes = try RegularFile.read(path, atMost: Self.mostBytes)
        } catch let error as PrivateFile.Failure where error.isMissing {
            throw BackupFolderError(
                "\(folder) has no \(Self.name): it is not a backup of \"roomline backup\", or not a complete one"
            )
        } catch {
            throw BackupFolderError(reading: path, error)
        }
        let manifest: BackupManifest
        do {
            manifest = try JSONDecoder().decode(Self.self, from: bytes)
        } catch {
            throw BackupFolderError("\(path) cannot be read: it is not the manifest of a backup")
        }
        guard manifest.format == Self.format else {
            throw BackupFolderError(
                "\(path) is of a newer Roomline, \(manifest.roomline.shown): restore it with that version"
            )
        }
        return manifest
    }
}
