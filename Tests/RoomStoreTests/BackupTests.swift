import Foundation
import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

@Suite(.timeLimit(.minutes(5)))
struct BackupTests {
    @Test func `a backup has all that was acknowledged before it, and nothing that came after`() async throws {
        let test = try BackupUnderTest()
        let room = try await test.room()
        try await room.append(1...500)
        let backup = try await test.service.make()
        try await room.append(501...600)
        let (path, digests) = try await test.fetch(backup, to: "copy")
        #expect(backup.files.map(\.name) == ["history.sqlite", "control.sqlite", "clock"])
        #expect(Dictionary(uniqueKeysWithValues: backup.files.map { ($0.name, $0.sha256) }) == digests)
        #expect(try StoredFile.history("\(path)/history.sqlite").messages == 500)
        #expect(try StoredFile.control("\(path)/control.sqlite").channels == 0)
        #expect(try test.parent.permissions("data/\(BackupStore.directoryName)/\(backup.id)") == 0o700)
        #expect(try test.parent.permissions("data/\(BackupStore.directoryName)/\(backup.id)/history.sqlite") == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        try await test.service.remove(backup.id)
        #expect(throws: BackupError.notFound) { try test.service.read("clock", of: backup.id) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.backups) == [])
        try await test.close()
    }

    @Test func `commits go on while a backup is made, each in it whole or not at all`() async throws {
        let test = try BackupUnderTest()
        let room = try await test.room()
        try await room.append(1...2_000, bytes: 1_000)
        async let backup = test.service.make()
        for first in stride(from: UInt64(2_001), to: 4_000, by: 20) {
            try await room.append(first...first + 19, bytes: 1_000)
        }
        let (path, _) = try await test.fetch(try await backup, to: "copy")
        let messages = try StoredFile.history("\(path)/history.sqlite").messages
        #expect(messages >= 2_000 && messages.isMultiple(of: 20))
        try await test.close()
    }

    @Test func `there is one at a time, until nobody fetches it any more`() async throws {
        let test = try BackupUnderTest()
        let first = try await test.service.make()
        await #expect(throws: BackupError.underWay) { try await test.service.make() }
        test.clock.advance(by: .seconds(61))
        let reading = try test.service.read("clock", of: first.id)
        test.clock.advance(by: .seconds(61))
        await #expect(throws: BackupError.underWay) { try await test.service.make() }
        #expect(try await reading.next()?.readableBytes == 16)
        withExtendedLifetime(reading) {}
        try await test.close()
    }

    @Test func `one that nobody fetches gives way, and goes by itself`() async throws {
        let test = try BackupUnderTest()
        let first = try await test.service.make()
        test.clock.advance(by: .seconds(61))
        let second = try await test.service.make()
        await #expect(throws: BackupError.notFound) { try await test.service.remove(first.id) }
        test.clock.advance(by: .seconds(599))
        await test.service.expire()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.backups) == [second.id])
        test.clock.advance(by: .seconds(1))
        await test.service.expire()
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.backups) == [])
        try await test.close()
    }

    @Test func `start and stop leave none behind`() async throws {
        let test = try BackupUnderTest()
        _ = try await test.service.make()
        try await test.close()
        #expect(!FileManager.default.fileExists(atPath: test.backups))
        await #expect(throws: BackupError.self) { try await test.service.make() }
        let old = test.backups + "/0193a4a0-0000-7000-8000-000000000000"
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        let next = try BackupUnderTest(in: test.parent)
        #expect(!FileManager.default.fileExists(atPath: test.backups))
        try await next.close()
    }

    @Test func `start and stop leave alone what somebody else has put there`() async throws {
        let test = try BackupUnderTest()
        for path in [test.data + "/backups/nightly", test.backups + "/nightly"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try await test.close()
        try await BackupUnderTest(in: test.parent).close()
        #expect(FileManager.default.fileExists(atPath: test.data + "/backups/nightly"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: test.backups) == ["nightly"])
    }

    @Test func `a copy ends where the disk gets too full`() async throws {
        struct Full: Error {}
        let test = try BackupUnderTest()
        try await test.room().append(1...2_000, bytes: 1_000)
        let target = test.parent.file("target")
        try PrivateFile.create(target)
        #expect(throws: Full.self) {
            try HistoryCopy(path: test.data + "/history.sqlite").run(to: target, pinned: {}, goingOn: { throw Full() })
        }
        try await test.close()
    }

    @Test func `a copy that is stopped leaves nothing`() async throws {
        let test = try BackupUnderTest()
        let room = try await test.room()
        try await room.append(1...2_000, bytes: 1_000)
        let copy = try HistoryCopy(path: test.data + "/history.sqlite")
        copy.stop()
        let target = test.parent.file("target")
        try PrivateFile.create(target)
        #expect(throws: (any Error).self) { try copy.run(to: target, pinned: {}, goingOn: {}) }
        try await test.close()
    }
}
