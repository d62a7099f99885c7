import NIOHTTP1
import RoomControl
import RoomCore
import RoomDocuments
import RoomModel

/// Backups.
struct BackupRoutes: AdminRoutes {
    let backups: (any BackupService)?
    let auditLog: AuditLog
    let clock: @Sendable () -> Int64

    func add(to router: inout AdminRouter) {
        router.on(.POST, "backups", scope: .manage, self.createBackup)
        router.on(.GET, "backups/:backup/:file", scope: .manage, self.readBackup)
        router.on(.DELETE, "backups/:backup", scope: .manage, self.deleteBackup)
    }

    @Sendable private func createBackup(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let backups = try self.requireBackups()
        let backup: StoredBackup
        do throws(BackupError) {
            backup = try await backups.make()
        } catch {
            throw Problem(error)
        }
        let bytes = backup.files.reduce(0) { $0 + $1.bytes }
        await self.auditLog.append(
            call.caller.entry(.createBackup, backup.id, "{\"bytes\":\(bytes)}", time: self.clock())
        )
        let document = AdminBackup(
            id: backup.id,
            created: AdminTime(milliseconds: backup.created),
            files: backup.files.map { AdminBackup.File(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
        )
        return .document(document, status: .created, location: "\(AdminRouter.root)/backups/\(backup.id)")
    }

    @Sendable private func readBackup(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let backups = try self.requireBackups()
        let (id, file) = (try call.name("backup"), try call.name("file"))
        do throws(BackupError) {
            let reading = try backups.read(file, of: id)
            return HTTPResponse(
                status: .ok,
                headers: ["Content-Type": "application/octet-stream"],
                body: .stream(length: Int(reading.bytes)) { write in
                    while let piece = try await reading.next() { try await write(piece) }
                }
            )
        } catch {
            throw Problem(error)
        }
    }

    @Sendable private func deleteBackup(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let (backups, id) = (try self.requireBackups(), try call.name("backup"))
        do throws(BackupError) {
            try await backups.remove(id)
        } catch {
            throw Problem(error)
        }
        return .done
    }

    private func requireBackups() throws(Problem) -> any BackupService {
        guard let backups = self.backups else {
            throw Problem(
                .conflict,
                .nothingKept,
                "this broker keeps nothing on a disk (--data :memory:): start it with --data"
            )
        }
        return backups
    }
}

extension Problem {
    fileprivate init(_ error: BackupError) {
        switch error {
        case .underWay:
            self.init(
                .conflict,
                .backupUnderWay,
                "another backup is being made or downloaded: wait for it; one that nobody downloads can be replaced after a minute"
            )
        case .notFound:
            self.init(.notFound, .unknownBackup, "there is no such backup, or it was removed: make another one")
        case .failed(let text): self.init(.serviceUnavailable, Code.storageUnavailable, text)
        }
    }
}
