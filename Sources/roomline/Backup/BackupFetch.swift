import Foundation
import NIOCore
import RoomAdmin
import RoomClient
import RoomModel
import RoomServer

/// Has the broker make a backup, fetches it, checks it, and has it removed there.
///
/// All of it is done in a directory with another name, which is given its own at the very end.
struct BackupFetch: Sendable {
    let client: AdminSession
    let directory: String
    let report: ProgressReport

    func run() async throws -> BackupFolder.Contents {
        let incomplete = try self.makeDirectory()
        do {
            self.report.begin("the broker copies its files")
            let backup = try await self.client.send(.createBackup)
            do {
                try backup.checkNames()
                try await self.fetch(backup, to: incomplete.path)
            } catch {
                await self.remove(backup)
                throw error
            }
            await self.remove(backup)
            return try self.finish(backup, in: incomplete)
        } catch {
            incomplete.remove()
            throw error
        }
    }

    private func makeDirectory() throws(CommandFailure) -> IncompleteBackup {
        let path = "\(self.directory).incomplete"
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(code: .refused, text: "\(self.directory) cannot be made: \(ErrorReason.text(error))")
        }
        do throws(BackupFolderError) {
            return try IncompleteBackup(path, of: self.directory)
        } catch {
            throw CommandFailure(code: .refused, text: error.text)
        }
    }

    private func fetch(_ backup: AdminBackup, to directory: String) async throws {
        self.report.begin("fetching", of: backup.files.reduce(0) { $0 + UInt64(clamping: $1.bytes) })
        for file in backup.files {
            let path = "\(directory)/\(file.name)"
            let sink = try NewFile(path)
            try await self.client.fetch(file, of: backup) { piece in
                try sink.write(piece)
                self.report.advance(by: piece.readableBytes)
            }
            try sink.close()
        }
    }

    /// Also when this was told to end. Where it fails, the broker removes it after a while by itself.
    private func remove(_ backup: AdminBackup) async {
        _ = await Task { try? await self.client.client.send(.deleteBackup(backup)) }.value
    }

    private func finish(
        _ backup: AdminBackup,
        in incomplete: IncompleteBackup
    ) throws(CommandFailure) -> BackupFolder.Contents {
        let contents: BackupFolder.Contents
        self.report.begin("checking")
        do {
            try backup.manifest.write(to: incomplete.path)
        } catch {
            throw CommandFailure(
                code: .refused,
                text: "\(self.directory) cannot be written: \(ErrorReason.text(error))"
            )
        }
        do throws(BackupFolderError) {
            contents = try BackupFolder(incomplete.path).check()
        } catch {
            throw CommandFailure(code: .refused, text: "the backup from the broker is not usable: \(error.text)")
        }
        do throws(BackupFolderError) {
            try BackupFolder(incomplete.path).move(to: self.directory)
        } catch {
            throw CommandFailure(code: .refused, text: error.text)
        }
        return contents
    }
}

extension AdminBackup {
    /// The names become those of files on this machine, and whoever answers need not be a broker.
    ///
    /// - Throws: where they are not exactly those of a backup.
    func checkNames() throws(CommandFailure) {
        guard self.files.map(\.name).sorted() == BackupFolder.fileNames.sorted() else {
            let names = self.files.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                code: .refused,
                text: "the server has sent a backup that this version does not know, with the files \(names)"
            )
        }
    }

    var manifest: BackupManifest {
        BackupManifest(
            id: self.id,
            created: self.created.rawValue,
            files: self.files.map { BackupFile(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
        )
    }
}
