import Foundation
import RoomModel
import RoomStore

/// Puts a backup in the place of what a broker has kept, while none runs on it.
package struct Restore: Sendable {
    /// The result of a restore, or of a trial of one.
    package struct Outcome: Equatable, Sendable {
        package let contents: BackupFolder.Contents
        /// Where the files until now are, within the data directory; `nil` where there were none.
        package let replaced: String?
    }

    private let folder: BackupFolder
    private let data: String
    private let replaces: Bool
    private let leavesCluster: Bool

    /// - Parameters:
    ///   - replaces: whether what is in the data directory may be moved aside.
    ///   - leavesCluster: the backup is a node's, and is to become the data of a broker that runs alone.
    package init(from folder: String, to data: String, replacing replaces: Bool, leavesCluster: Bool = false) {
        self.folder = BackupFolder(folder)
        self.data = data
        self.replaces = replaces
        self.leavesCluster = leavesCluster
    }

    /// Whether there is something that a restore would move aside.
    package var meetsData: Bool { !RestoreTarget.existing(self.data).isEmpty }

    /// Checks the backup; changes nothing.
    package func checkBackup() throws(BackupFolderError) -> BackupFolder.Contents { try self.folder.check() }

    /// The reason why the backup cannot be restored there now; `nil`: it can.
    package var refusal: BackupFolderError? {
        guard self.folder.path.realPath != self.data.realPath else {
            return BackupFolderError("\(self.data) is the backup itself: name the broker's data directory with --data")
        }
        do throws(DataDirectoryError) {
            try RestoreTarget.checkUnused(self.data)
        } catch {
            return BackupFolderError(error.text)
        }
        guard !self.meetsData || self.replaces else {
            return BackupFolderError(
                "\(self.data) already has data of a broker: say --replace to move that aside, or name another directory with --data"
            )
        }
        return nil
    }

    /// - Parameter contents: what `checkBackup` has said.
    package func run(_ contents: BackupFolder.Contents) throws(BackupFolderError) -> Outcome {
        let target: RestoreTarget
        do throws(DataDirectoryError) {
            target = try RestoreTarget(self.data)
        } catch {
            throw BackupFolderError(error.text)
        }
        defer { target.close() }
        // Taken now: what has come meanwhile is not moved aside unasked.
        guard !self.meetsData || self.replaces else {
            throw BackupFolderError("\(self.data) now has data of a broker; nothing was changed")
        }
        do {
            let digests = Dictionary(contents.manifest.files.map { ($0.name, $0.sha256) }) { first, _ in first }
            try target.stage(from: self.folder.path, digests: digests, leavesCluster: self.leavesCluster)
        } catch {
            let earlier = RestoreTarget.isUnfinished(self.data) ? ", where an earlier restore is still unfinished" : ""
            throw BackupFolderError("nothing was changed in \(self.data)\(earlier): \(Self.reason(error))")
        }
        do {
            let replaced = try target.moveAside(now: WallClock.milliseconds())
            try target.finish()
            return Outcome(contents: contents, replaced: replaced)
        } catch {
            throw BackupFolderError(
                "the restore into \(self.data) was interrupted, and no broker starts there until it is repeated with --replace: "
                    + Self.reason(error)
            )
        }
    }

    /// The system's reason, without the frames that Foundation puts around it.
    private static func reason(_ error: any Error) -> String {
        guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error else { return "\(error)" }
        return "\(cause)"
    }
}

extension String {
    /// The same for all spellings of a place; of one that is not there, as it is.
    fileprivate var realPath: String { URL(filePath: self).resolvingSymlinksInPath().standardized.path }
}
