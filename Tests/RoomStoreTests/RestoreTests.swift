import Foundation
import GRDB
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

@Suite(.timeLimit(.minutes(5)))
struct RestoreTests {
    /// A backup of 20 messages, of a broker that published 10 more.
    private func backup() async throws -> (BackupUnderTest, epoch: Epoch, path: String, digests: [String: String]) {
        let test = try BackupUnderTest()
        let room = try await test.room()
        try await room.append(1...20)
        test.directory.clock.reserve(through: test.clock.now + 500)
        let (path, digests) = try await test.fetch(try await test.service.make(), to: "copy")
        test.clock.advance(by: .seconds(10))
        try await room.append(21...30)
        test.directory.clock.reserve(through: test.clock.now + 700)
        try await test.close()
        return (test, room.opened.epoch, path, digests)
    }

    @Test func `what is restored is the backup, with another epoch and ids above all`() async throws {
        let (test, epoch, path, digests) = try await self.backup()
        let target = try RestoreTarget(test.data)
        try target.stage(from: path, digests: digests)
        let aside = try #require(try target.moveAside(now: test.clock.now))
        try target.finish()
        target.close()
        let restored = try BackupUnderTest(in: test.parent)
        let room = try await restored.room()
        #expect(room.opened.lastSeq == 20)
        #expect(room.opened.epoch != epoch)
        #expect(try await room.read().seqs == Array(1...20))
        #expect(restored.directory.clock.initial == test.clock.now + 700)
        #expect(try test.parent.permissions("data/history.sqlite") == 0o600)
        #expect(try StoredFile.history(test.data + "/\(aside)/history.sqlite").messages == 30)
        try await restored.close()
    }

    @Test func `a directory that a broker has is left alone`() async throws {
        let (test, _, _, _) = try await self.backup()
        let running = try BackupUnderTest(in: test.parent)
        #expect(throws: DataDirectoryError.self) { try RestoreTarget.checkUnused(test.data) }
        #expect(throws: DataDirectoryError.self) { try RestoreTarget(test.data) }
        try await running.close()
        #expect(throws: Never.self) { try RestoreTarget.checkUnused(test.data) }
    }

    @Test func `files that are not what the manifest says change nothing`() async throws {
        let (test, _, path, digests) = try await self.backup()
        let before = try FileManager.default.contentsOfDirectory(atPath: test.data).sorted()
        var others = digests
        others["control.sqlite"] = String(repeating: "0", count: 64)
        let target = try RestoreTarget(test.data)
        #expect(throws: (any Error).self) { try target.stage(from: path, digests: others) }
        target.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.data).sorted() == before)
    }

    @Test func `no broker starts on a restore that was cut short, and another one mends it`() async throws {
        let (test, _, path, digests) = try await self.backup()
        let first = try RestoreTarget(test.data)
        try first.stage(from: path, digests: digests)
        _ = try first.moveAside(now: test.clock.now)
        first.close()
        #expect(RestoreTarget.isUnfinished(test.data))
        let failing = try RestoreTarget(test.data)
        #expect(throws: (any Error).self) { try failing.stage(from: path, digests: [:]) }
        failing.close()
        let error = #expect(throws: DataDirectoryError.self) { try BackupUnderTest(in: test.parent) }
        #expect(error?.text.contains("cut short") == true)
        let again = try RestoreTarget(test.data)
        try again.stage(from: path, digests: digests)
        #expect(try again.moveAside(now: test.clock.now) == nil)
        try again.finish()
        again.close()
        let restored = try BackupUnderTest(in: test.parent)
        #expect(try await restored.room().opened.lastSeq == 20)
        #expect(restored.directory.clock.initial == test.clock.now + 700)
        try await restored.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.data).filter { $0.hasPrefix("restore") } == [])
    }

    @Test func `a restore that was cut short before anything was moved leaves the broker its data`() async throws {
        let (test, epoch, path, digests) = try await self.backup()
        let target = try RestoreTarget(test.data)
        try target.stage(from: path, digests: digests)
        target.close()
        #expect(!RestoreTarget.isUnfinished(test.data))
        let running = try BackupUnderTest(in: test.parent)
        let room = try await running.room()
        #expect(room.opened.lastSeq == 30 && room.opened.epoch == epoch)
        try await running.close()
    }

    @Test(arguments: BackupStore.names) func `a link in the place of a file is not followed`(
        _ name: String
    ) async throws {
        let (test, _, path, digests) = try await self.backup()
        let before = try FileManager.default.contentsOfDirectory(atPath: test.data).sorted()
        try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: test.parent.file("elsewhere"))
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)",
            withDestinationPath: test.parent.file("elsewhere")
        )
        let target = try RestoreTarget(test.data)
        #expect(throws: RegularFile.Refusal.self) { try target.stage(from: path, digests: digests) }
        target.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.data).sorted() == before)
    }

    @Test func `a database of somebody else is not staged, whatever the manifest says of it`() async throws {
        var (test, _, path, digests) = try await self.backup()
        let before = try FileManager.default.contentsOfDirectory(atPath: test.data).sorted()
        let database = try DatabaseQueue(path: "\(path)/history.sqlite")
        try await database.write { db in
            try db.execute(sql: "CREATE TRIGGER mine AFTER UPDATE ON room BEGIN DELETE FROM batch; END")
        }
        try database.close()
        digests["history.sqlite"] = try FileDigest.of("\(path)/history.sqlite").sha256
        let target = try RestoreTarget(test.data)
        let error = #expect(throws: StoredFileError.self) { try target.stage(from: path, digests: digests) }
        #expect(error?.text.contains(#"trigger "mine""#) == true)
        target.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.data).sorted() == before)
    }

    @Test func `the bytes of a backup are restored, not its permissions`() async throws {
        let (test, _, path, digests) = try await self.backup()
        for name in ["history.sqlite", "clock"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: "\(path)/\(name)")
        }
        let target = try RestoreTarget(test.data)
        try target.stage(from: path, digests: digests)
        _ = try target.moveAside(now: test.clock.now)
        try target.finish()
        target.close()
        for name in ["history.sqlite", "clock"] {
            let status = try #require(FileStatus("\(test.data)/\(name)"))
            #expect(status.kind == .file && status.permissions == 0o600)
            #expect(try test.parent.permissions("copy/\(name)") == 0o444)
        }
    }

    @Test func `a damaged file, a newer one and one of something else are told apart`() async throws {
        let (test, _, path, _) = try await self.backup()
        #expect(throws: StoredFileError.self) { try StoredFile.history(test.parent.file("none")) }
        #expect(#expect(throws: StoredFileError.self) { try StoredFile.history(path + "/clock") }?.reason == .damaged)
        #expect(
            #expect(throws: StoredFileError.self) { try StoredFile.history(path + "/control.sqlite") }?.reason
                == .damaged
        )
        let newer = try BackupUnderTest()
        _ = try await StoreUnderTest(
            directory: newer.parent,
            clock: newer.clock,
            log: LogCollector(),
            store: newer.history
        )
        .write { db in try db.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9999-history')") }
        try await newer.close()
        let error = #expect(throws: StoredFileError.self) { try StoredFile.history(newer.data + "/history.sqlite") }
        #expect(error?.reason == .newer)
        try test.parent.damage("copy/history.sqlite", at: 4_096, with: [UInt8](repeating: 0xa5, count: 8_192))
        #expect(
            #expect(throws: StoredFileError.self) { try StoredFile.history(path + "/history.sqlite") }?.reason
                == .damaged
        )
    }

    @Test(arguments: [
        ("/data", FileSystemKind.disk), ("/data/x/y", .disk), ("/", .layer), ("/database", .layer),
        ("/run/user/1", .memory),
        ("/mnt/with blank/a", .network),
    ])
    func `the file system is that of the nearest mount`(_ path: String, _ kind: FileSystemKind) {
        let mounts = """
            21 1 0:20 / / rw,relatime - overlay overlay rw
            22 21 8:1 / /data rw shared:1 - ext4 /dev/sda1 rw
            23 21 0:21 / /run rw shared:2 master:3 - tmpfs tmpfs rw
            24 21 0:22 / /mnt/with\\040blank rw - nfs4 host:/x rw
            """
        #expect(FileSystemKind(type: FileSystemKind.type(of: path, mounts: mounts)) == kind)
    }

    @Test func `a disk is measured, and nothing is left on it`() throws {
        let directory = try TemporaryDirectory()
        let figures = try DiskProbe(directory.path, isGentle: true).run()
        #expect(figures.medianSync > 0 && figures.slowestSync >= figures.medianSync && figures.bytesPerSecond == nil)
        #expect(try directory.files() == [])
    }
}
