import Foundation
import RoomModel

@testable import RoomServer

/// A manifest of a backup is refused in one line, or is the same when it is written again. Whatever it says, the files beside
/// it are checked, so that none is found that is not there.
enum BackupsFuzz: FuzzTarget {
    static let name = "backups"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        _ = try ScratchFile.write(bytes, as: BackupManifest.name)
        switch (Result { () throws(BackupFolderError) in try BackupFolder(ScratchFile.folder).check() }) {
        case .success: throw BrokenInvariant(description: "a backup without files is sound")
        case .failure(let error): try demand(error.text.isOneSafeLine, "an error of more than one line: \(error.text)")
        }
        let manifest: BackupManifest
        do throws(BackupFolderError) {
            manifest = try BackupManifest.read(ScratchFile.folder)
        } catch {
            return
        }
        let written = try JSONEncoder().encode(manifest)
        let again = try JSONDecoder().decode(BackupManifest.self, from: written)
        try demand(again == manifest, "the manifest is, written again, \(again)")
    }
}
