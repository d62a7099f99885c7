import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What every engine owes the import of an export.
@Suite(.timeLimit(.minutes(5)))
struct ImportContractTests {
    private let room: RoomKey

    init() throws {
        self.room = try .make("room")
    }

    @Test(arguments: EngineKind.allCases)
    func `an import is the log that was exported`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let receipt = try await test.importLog(5...9, into: self.room).get()
        #expect(receipt.seq == 9)
        #expect(receipt.oldestSeq == 5)
        let opened = try await test.open(self.room)
        #expect(opened.epoch == receipt.epoch)
        #expect(opened.lastSeq == 9)
        #expect(opened.lastID == EngineUnderTest.id(9))
        #expect(opened.oldestSeq == 5)
        #expect(try await test.read(opened.log) == [5, 6, 7, 8, 9])
        #expect(try await test.find(EngineUnderTest.id(7), in: opened.log) == 7)
        try await test.append(10...11, to: opened.log)
        #expect(try await test.read(opened.log) == [5, 6, 7, 8, 9, 10, 11])
    }

    @Test(arguments: EngineKind.allCases)
    func `parts go on where the one before has ended, each under another epoch`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let first = try await test.importLog(1...4, into: self.room).get()
        let old = try await test.open(self.room).log
        let second = try await test.importLog(5...6, into: self.room, after: first).get()
        #expect(second.epoch != first.epoch)
        let third = try await test.importLog(7...7, into: self.room, after: second).get()
        await #expect(throws: EngineError.reset) { try await test.append(5...5, to: old) }
        await #expect(throws: EngineError.reset) { try await test.read(old) }
        let opened = try await test.open(self.room)
        #expect(opened.epoch == third.epoch)
        #expect(try await test.read(opened.log) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test(arguments: EngineKind.allCases)
    func `a room that has messages is left as it is`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        try await test.append(1...2, to: log)
        #expect(await test.importLog(1...4, into: self.room) == .failure(.occupied))
        #expect(try await test.read(log) == [1, 2])
    }

    @Test(arguments: EngineKind.allCases)
    func `a log that is open and empty is another one afterwards`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let before = try await test.open(self.room)
        let receipt = try await test.importLog(1...3, into: self.room).get()
        #expect(receipt.epoch != before.epoch)
        await #expect(throws: EngineError.reset) { try await test.append(1...1, to: before.log) }
        #expect(try await test.read(try await test.open(self.room).log) == [1, 2, 3])
    }

    @Test(arguments: EngineKind.allCases)
    func `what does not go on where the log ends is refused`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let first = try await test.importLog(1...4, into: self.room).get()
        #expect(await test.importLog(6...7, into: self.room, after: first) == .failure(.movedOn))
        var other = first
        other.epoch = Epoch(rawValue: first.epoch.rawValue ^ 1)
        #expect(await test.importLog(5...5, into: self.room, after: other) == .failure(.movedOn))
        try await test.append(5...5, to: try await test.open(self.room).log)
        #expect(await test.importLog(5...6, into: self.room, after: first) == .failure(.movedOn))
        #expect(await test.importLog(1...1, into: try .make("none"), after: first) == .failure(.movedOn))
        #expect(try await test.read(try await test.open(self.room).log) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: EngineKind.allCases)
    func `what retention does not keep is not served`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let receipt = try await test.importLog(1...10, into: self.room, keep: 3).get()
        #expect(receipt.seq == 10)
        #expect(receipt.oldestSeq == 8)
    }

    @Test
    func `an import outlives the process, and the messages before it are gone`() async throws {
        let directory = try TemporaryDirectory()
        let before = try StoreUnderTest.make(in: directory)
        let old = try await before.open(keep: 1_000, age: .seconds(10))
        try await old.append(1...20)
        before.clock.advance(by: .seconds(60))
        let part = LogImport(
            room: try .make("room"),
            retention: HistorySettings(count: 1_000, age: .seconds(10)),
            after: nil,
            entries: (UInt64(3)...5).map { .make($0, sentAt: before.clock.now) }
        )
        let result = await withCheckedContinuation { continuation in
            before.store.importLog(part) { continuation.resume(returning: $0) }
        }
        let receipt = try result.get()
        await before.store.close()
        let after = try StoreUnderTest.make(in: directory, clock: before.clock)
        let reopened = try await after.open(keep: 1_000, age: .seconds(10))
        #expect(reopened.opened.epoch == receipt.epoch)
        #expect(try await reopened.read().seqs == [3, 4, 5])
        await after.store.sweep(now: before.clock.now)
        #expect(try await after.storedMessages() == 3)
        await after.store.close()
    }
}
