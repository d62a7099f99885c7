import Foundation
import GRDB
import Logging
import NIOConcurrencyHelpers
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What a file survives: restarts, kills, power cuts, damage, a full disk.
@Suite(.timeLimit(.minutes(5)))
struct HistoryFileTests {
    @Test
    func `a closed file is opened again as it was`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...5, keyed: true)
        await room.test.store.close()
        // Another boot, too: an orderly close had everything synced.
        let again = try await StoreUnderTest.make(in: room.test.directory, bootID: "boot 2").open()
        #expect(again.opened.epoch == room.opened.epoch)
        #expect(again.opened.lastSeq == 5)
        #expect(again.opened.lastID == LogEntry.make(5, sentAt: room.test.clock.now).id)
        #expect(again.opened.recentKeys.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(try await again.read().seqs == [1, 2, 3, 4, 5])
    }

    @Test
    func `what was acknowledged survives a kill`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...500)
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        let again = try await StoreUnderTest.make(in: copy).open()
        #expect(again.opened.epoch == room.opened.epoch)
        #expect(try await again.read().seqs == Array(1...500))
        #expect(again.test.log.lines(.critical).isEmpty)
    }

    @Test
    func `after a power cut rooms that were not synced begin a new epoch`() async throws {
        let test = try StoreUnderTest.make()
        let unsynced = try await test.open("unsynced")
        let synced = try await test.open("synced", durability: .power)
        try await unsynced.append(1...3)
        try await synced.append(1...3)
        let copy = try TemporaryDirectory()
        try test.directory.copyHistory(to: copy)
        let after = try StoreUnderTest.make(in: copy, bootID: "boot 2")
        let unsyncedAfter = try await after.open("unsynced")
        #expect(unsyncedAfter.opened.epoch != unsynced.opened.epoch)
        #expect(unsyncedAfter.opened.lastSeq == 3)
        #expect(try await unsyncedAfter.read().seqs == [1, 2, 3])
        #expect(try await after.open("synced", durability: .power).opened.epoch == synced.opened.epoch)
    }

    @Test
    func `a copy made without its wal begins new epochs`() async throws {
        let room = try await StoreUnderTest.make().open(durability: .power)
        try await room.append(1...3)
        try await room.test.checkpoint()
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy, without: "-wal")
        let again = try await StoreUnderTest.make(in: copy).open(durability: .power)
        #expect(again.opened.lastSeq == 3)
        #expect(again.opened.epoch != room.opened.epoch)
    }

    @Test
    func `a damaged wal is kept aside and all rooms begin new epochs`() async throws {
        let room = try await StoreUnderTest.make().open(durability: .power)
        try await room.append(1...3)
        try await room.test.checkpoint()
        for seq in UInt64(4)...20 {
            try await room.append(seq...seq)
        }
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        try copy.damage("history.sqlite-wal", at: 3 * 4_120)
        let again = try await StoreUnderTest.make(in: copy).open(durability: .power)
        #expect(again.opened.lastSeq < 20)
        #expect(again.opened.epoch != room.opened.epoch)
        #expect(again.test.log.lines(.critical).count == 1)
        #expect(try copy.files().contains { $0.hasPrefix("history.sqlite-wal.corrupt-") })
        let next = again.opened.lastSeq + 1
        try await again.append(next...next)
    }

    @Test
    func `a commit that a kill cut short is no damage`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...20)
        let copy = try TemporaryDirectory()
        try room.test.directory.copyHistory(to: copy)
        let end = try copy.size("history.sqlite-wal")
        try copy.damage("history.sqlite-wal", at: end, with: [UInt8](repeating: 1, count: 3_000))
        let again = try await StoreUnderTest.make(in: copy).open()
        #expect(again.opened.epoch == room.opened.epoch)
        #expect(again.opened.lastSeq == 20)
        #expect(again.test.log.lines(.critical).isEmpty)
    }

    @Test(arguments: [0, 44])
    func `a file that is not a database is moved aside at the start`(_ offset: UInt64) async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...3)
        await room.test.store.close()
        try room.test.directory.damage("history.sqlite", at: offset)
        let again = try await StoreUnderTest.make(in: room.test.directory).open()
        #expect(again.opened.lastSeq == 0)
        #expect(again.opened.epoch != room.opened.epoch)
        try await again.append(1...1)
        let critical = try #require(again.test.log.lines(.critical).first)
        let moved = try #require(critical.metadata["history.moved_to"])
        #expect("\(moved)".hasPrefix(room.test.directory.file("history.sqlite.corrupt-2025-11-21T040000Z")))
        #expect(FileManager.default.fileExists(atPath: "\(moved)"))
    }

    @Test
    func `damage that the check finds makes a new file and resets logs`() async throws {
        let room = try await StoreUnderTest.damagedInTheMiddle()
        await room.test.store.checkIntegrity()
        await #expect(throws: EngineError.reset) { try await room.append(2_001...2_001) }
        await #expect(throws: EngineError.reset) { try await room.read() }
        #expect(room.test.log.lines(.critical).count == 1)
        let again = try await room.reopened()
        #expect(again.opened.lastSeq == 0)
        try await again.append(1...1)
        #expect(try await again.read().seqs == [1])
    }

    @Test
    func `damage that a read meets makes a new file and resets logs`() async throws {
        let room = try await StoreUnderTest.damagedInTheMiddle()
        await #expect(throws: EngineError.reset) {
            try await room.read(.after(0, through: 2_000), maxCount: 2_000)
        }
        await #expect(throws: EngineError.reset) { try await room.append(2_001...2_001) }
        let again = try await room.reopened()
        #expect(again.opened.lastSeq == 0)
        #expect(room.test.log.lines(.critical).count == 1)
        let files = try room.test.directory.files()
        #expect(files.contains { $0.hasPrefix("history.sqlite.corrupt-") && $0.hasSuffix("-wal") })
    }

    @Test
    func `the check of a sound file changes nothing`() async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...100)
        await room.test.store.checkIntegrity()
        try await room.append(101...101)
        #expect(room.test.log.lines(.critical).isEmpty)
        #expect(room.test.log.lines(.info).map(\.text) == ["history file is sound"])
    }

    @Test
    func `a full disk refuses appends until there is room again`() async throws {
        let room = try await StoreUnderTest.make().open()
        let small = try await room.test.open("small")
        try await room.append(1...10)
        try await room.test.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        await #expect(throws: EngineError.unavailable) { try await room.append(11...20, bytes: 10_000) }
        await #expect(throws: EngineError.unavailable) { try await small.append(1...10, bytes: 10_000) }
        #expect(try await room.read().seqs == Array(1...10))
        try await room.test.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await room.append(11...20, bytes: 10_000)
        #expect(try await room.read().seqs == Array(1...20))
        #expect(room.test.log.lines(.error).count == 1)
        #expect(room.test.log.lines(.notice).count == 1)
    }

    @Test
    func `what was given up on a full disk is left to all but new messages, until there is room again`() async throws {
        let disk = FakeDisk()
        let clock = ManualClock()
        let reserve = DiskReserve(disk.reserved, now: clock.now, logger: LogCollector().logger)
        let room = try await StoreUnderTest.make(reserve: reserve, clock: clock).open()
        try await room.append(1...10)
        try await room.test.write { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        disk.leave(free: 100)
        await #expect(throws: EngineError.full) { try await room.append(11...20, bytes: 10_000) }
        #expect(disk.file == ReservedDisk.File(length: 0, allocated: 0))
        try await room.test.write { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        await #expect(throws: EngineError.full) { try await room.append(11...20, bytes: 10_000) }
        let receipt = try await room.test.store.prune(try .make("room"), keeping: PruneBound(count: 5), atMost: 100)
        #expect(receipt.messages == 5)
        #expect(!room.test.store.isWritable && room.test.log.lines(.notice).isEmpty)
        disk.leave(free: FakeDisk.free)
        clock.advance(by: .seconds(1))
        room.test.store.queue.sync { room.test.store.supervisor.look() }
        #expect(room.test.store.isWritable)
        #expect(room.test.log.lines(.notice).map(\.text) == ["history is stored again"])
        try await room.append(11...20, bytes: 10_000)
    }

    @Test
    func `a prune that finds the disk full goes on with what is given up`() async throws {
        let clock = ManualClock()
        let reserve = DiskReserve(FakeDisk().reserved, now: clock.now, logger: LogCollector().logger)
        let room = try await StoreUnderTest.make(reserve: reserve, clock: clock).open()
        let tries = NIOLockedValueBox(0)
        let done: Int = try await room.test.write { _ in
            let count = tries.withLockedValue { count in
                count += 1
                return count
            }
            guard count > 1 else { throw DatabaseError(resultCode: .SQLITE_FULL) }
            return count
        }
        #expect(done == 2 && reserve.isGivenUp && !room.test.store.isWritable)
    }

    @Test(arguments: ["", "-wal"], [false, true])
    func `nothing is stored in a file that nobody can find any more`(companion: String, isReplaced: Bool) async throws {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...10)
        let path = room.test.directory.file("history.sqlite" + companion)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        if isReplaced { try Data("another".utf8).write(to: URL(filePath: path)) }
        room.test.clock.advance(by: .seconds(1))
        await #expect(throws: EngineError.unavailable) { try await room.append(11...20) }
        await #expect(throws: EngineError.unavailable) { try await room.append(11...20) }
        #expect(!room.test.store.isWritable)
        let line = try #require(room.test.log.lines(.error).first)
        #expect("\(line)".contains(isReplaced ? "replaced by another file" : "deleted or moved"), "\(line)")
        if isReplaced { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        try await room.append(11...20)
        #expect(room.test.store.isWritable)
        #expect(try await room.read().seqs == Array(1...20))
    }

    @Test
    func `a file that is moved away is missed before somebody stores, and welcome back`() async throws {
        let room = try await StoreUnderTest.make().open()
        let store = room.test.store
        let path = room.test.directory.file("history.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
        room.test.clock.advance(by: .seconds(1))
        store.queue.sync { store.supervisor.look() }
        store.queue.sync { store.supervisor.look() }
        #expect(!store.isWritable)
        #expect(room.test.log.lines(.error).count == 1)
        try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        store.queue.sync { store.supervisor.look() }
        #expect(store.isWritable)
        #expect(room.test.log.lines(.notice).map(\.text) == ["history is stored again"])
        store.queue.sync {
            store.supervisor.failed(DatabaseError(resultCode: .SQLITE_FULL), generation: store.supervisor.generation)
            store.supervisor.look()
        }
        #expect(!store.isWritable, "a file in its place may still have no room")
    }

    @Test(arguments: [Durability.process, .power])
    func `whoever is told that something is stored finds the store writable`(durability: Durability) async throws {
        let room = try await StoreUnderTest.make().open(durability: durability)
        let store = room.test.store
        _ = store.queue.sync {
            store.supervisor.failed(
                DatabaseError(resultCode: .SQLITE_FULL),
                generation: store.supervisor.generation
            )
        }
        #expect(!store.isWritable)
        let (result, isWritable) = await withCheckedContinuation { continuation in
            room.submit(1...1) { continuation.resume(returning: ($0, store.isWritable)) }
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(isWritable)
    }

    @Test
    func `a file that another process has locked is written again later`() async throws {
        let room = try await StoreUnderTest.make().open()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(
            path: room.test.directory.file("history.sqlite"),
            configuration: configuration
        )
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await #expect(throws: EngineError.unavailable) { try await room.append(1...1) }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await room.append(1...1)
        #expect(try await room.read().seqs == [1])
    }

    @Test
    func `rooms that are opened while the file cannot be are told so, and open it later`() async throws {
        let directory = try TemporaryDirectory()
        let first = try StoreUnderTest.make(in: directory)
        try await first.open().append(1...3)
        await first.store.close()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.file("history.sqlite"), configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let test = try StoreUnderTest.make(in: directory)
        #expect(!test.store.isWritable)
        await #expect(throws: EngineError.unavailable) { try await test.open() }
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        let room = try await test.open()
        #expect(try await room.read().seqs == [1, 2, 3])
        try await room.append(4...4)
    }

    @Test
    func `a file by a newer version is left alone`() async throws {
        let test = try StoreUnderTest.make()
        try await test.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9999-future')") }
        await test.store.close()
        #expect(throws: HistoryStoreError.self) { try StoreUnderTest.make(in: test.directory) }
        #expect(try test.directory.files().allSatisfy { !$0.contains("corrupt") })
    }

    @Test
    func `a file that cannot be opened stops the start with its name`() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("history.sqlite"),
            withIntermediateDirectories: false
        )
        let error = try #require(throws: HistoryStoreError.self) { try StoreUnderTest.make(in: directory) }
        #expect(error.text.contains(directory.file("history.sqlite")))
    }

    @Test
    func `the files are private and the wal stays short`() async throws {
        let room = try await StoreUnderTest.make().open()
        for first in stride(from: UInt64(1), to: 120_001, by: 1_000) {
            try await room.append(first...first + 999, bytes: 1_000)
        }
        for name in try room.test.directory.files() {
            #expect(try room.test.directory.permissions(name) == 0o600)
        }
        #expect(try room.test.directory.size("history.sqlite-wal") < 110_000_000)
        #expect(try room.test.directory.size("history.sqlite") > 20_000_000)
    }

    @Test
    func `the sweep waits while pages are copied out of the wal`() async throws {
        let test = try StoreUnderTest.make()
        let old = try await test.open("old", age: .seconds(60))
        try await old.append(1...2_000)
        test.clock.advance(by: .seconds(61))
        let file = try #require(test.store.supervisor.current.file)
        let release = DispatchSemaphore(value: 0)
        file.checkpointer?.connection.asyncWriteWithoutTransaction { _ in release.wait() }
        let busy = try await test.open("busy")
        var last: UInt64 = 0
        while file.checkpointer?.isCopying == false {
            try await busy.append(last + 1...last + 1_000, bytes: 4_000)
            last += 1_000
        }
        let sweep = Task { await test.store.sweep(now: test.clock.now) }
        for _ in 1...50 {
            #expect(try await test.storedMessages() == 2_000 + Int(last))
        }
        release.signal()
        await sweep.value
        #expect(try await test.storedMessages() == Int(last))
    }
}

extension StoreUnderTest {
    func checkpoint() async throws {
        try await self.store.supervisor.current.file?.writer.writeWithoutTransaction {
            _ = try $0.checkpoint(.truncate)
        }
    }

    /// A room of 2,000 messages in a file of which one page is rubbish. No connection has it in its cache.
    static func damagedInTheMiddle() async throws -> OpenRoom {
        let room = try await StoreUnderTest.make().open()
        try await room.append(1...2_000, bytes: 500)
        await room.test.store.close()
        // Opening the room reads the keys of ten minutes.
        room.test.clock.advance(by: .seconds(700))
        let pages = try room.test.directory.size("history.sqlite") / 4_096
        try room.test.directory.damage(
            "history.sqlite",
            at: pages / 2 * 4_096,
            with: [UInt8](repeating: 0xa5, count: 4_096)
        )
        return try await StoreUnderTest.make(in: room.test.directory, clock: room.test.clock).open()
    }
}
