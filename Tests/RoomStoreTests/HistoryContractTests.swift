import Logging
import RoomCore
import RoomModel
import Synchronization
import Testing

@testable import RoomStore

/// What every engine owes the rooms, on each kind of store.
@Suite(.timeLimit(.minutes(5)))
struct HistoryContractTests {
    @Test(arguments: StoreKind.allCases)
    func `a new room has an empty log`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        #expect(room.opened.lastSeq == 0)
        #expect(room.opened.lastID == nil)
        #expect(room.opened.oldestSeq == 1)
        #expect(room.opened.recentKeys.isEmpty)
        #expect(try await room.read() == LogPage(entries: [], hasMore: false, oldestSeq: 1))
    }

    @Test(arguments: StoreKind.allCases)
    func `an append is read back in order`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        let now = room.test.clock.now
        #expect(try await room.append(1...3).oldestSeq == 1)
        try await room.append(4...5, keyed: true)
        let page = try await room.read()
        #expect(page.entries == (1...5).map { LogEntry.make($0, sentAt: now) })
    }

    @Test(arguments: StoreKind.allCases)
    func `the oldest messages above a seq are read up to another`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        try await room.append(1...10)
        let page = try await room.read(.after(3, through: 8), maxCount: 3)
        #expect(page.seqs == [4, 5, 6])
        #expect(page.hasMore)
        let rest = try await room.read(.after(6, through: 8), maxCount: 3)
        #expect(rest.seqs == [7, 8])
        #expect(!rest.hasMore)
        #expect(try await room.read(.after(10, through: .max)).seqs == [])
        #expect(try await room.read(.after(.max, through: .max)).seqs == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest messages below a seq are read`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        try await room.append(1...10)
        let page = try await room.read(.before(8), maxCount: 3)
        #expect(page.seqs == [5, 6, 7])
        #expect(page.hasMore)
        let rest = try await room.read(.before(4), maxCount: 3)
        #expect(rest.seqs == [1, 2, 3])
        #expect(!rest.hasMore)
        #expect(try await room.read(.before(0)).seqs == [])
    }

    @Test(arguments: StoreKind.allCases)
    func `a page ends before it has too many bytes but has one message`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        try await room.append(1...10, bytes: 100)
        #expect(try await room.read(.after(0, through: 10), maxBytes: 250).seqs == [1, 2])
        #expect(try await room.read(.before(11), maxBytes: 250).seqs == [9, 10])
        #expect(try await room.read(.after(4, through: 10), maxBytes: 1).seqs == [5])
        #expect(try await room.read(.after(4, through: 10), maxBytes: 1).hasMore)
    }

    @Test(arguments: StoreKind.allCases)
    func `only the newest messages are kept`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 5)
        #expect(try await room.append(1...3).oldestSeq == 1)
        #expect(try await room.append(4...7).oldestSeq == 3)
        #expect(try await room.read(.after(0, through: 7)).seqs == [3, 4, 5, 6, 7])
        #expect(try await room.read(.before(5)).seqs == [3, 4])
        #expect(try await room.reopened().opened.oldestSeq == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `messages that are too old are not served`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(age: .seconds(60))
        for first in stride(from: UInt64(1), through: 91, by: 10) {
            try await room.append(first...first + 9)
            room.test.clock.advance(by: .seconds(10))
        }
        let page = try await room.read()
        #expect(page.seqs == Array(41...100))
        #expect(page.oldestSeq == 41)
        #expect(try await room.append(101...101).oldestSeq == 41)
        room.test.clock.advance(by: .seconds(61))
        #expect(try await room.read() == LogPage(entries: [], hasMore: false, oldestSeq: 102, hasExpired: true))
    }

    @Test(arguments: StoreKind.allCases)
    func `age counts from when a message was stored where its time is ahead`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(age: .seconds(60))
        let ahead = 75 * 365 * 86_400_000 as Int64
        try await room.append(1...3)
        for first in stride(from: UInt64(4), through: 34, by: 10) {
            try await room.append((first...first + 9).map { .make($0, sentAt: room.test.clock.now + ahead) })
            room.test.clock.advance(by: .seconds(10))
        }
        #expect(try await room.read().oldestSeq == 1)
        room.test.clock.advance(by: .seconds(29))
        #expect(try await room.read().seqs == Array(14...43))
        room.test.clock.advance(by: .seconds(60))
        #expect(try await room.read() == LogPage(entries: [], hasMore: false, oldestSeq: 44, hasExpired: true))
        room.test.clock.advance(by: .seconds(600))
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.test.storedMessages() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeping more again does not bring back what was trimmed`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        try await test.open(keep: 2).append(1...5)
        let room = try await test.open(keep: 100)
        #expect(room.opened.oldestSeq == 4)
        #expect(try await room.read().seqs == [4, 5])
    }

    @Test(arguments: StoreKind.allCases)
    func `a log goes on where it was after all messages are gone`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(age: .seconds(60))
        try await room.append(1...10)
        let lastID = LogEntry.make(10, sentAt: room.test.clock.now).id
        room.test.clock.advance(by: .seconds(61))
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.test.storedMessages() == 0)
        let opened = try await room.reopened().opened
        #expect(opened.lastSeq == 10)
        #expect(opened.lastID == lastID)
        #expect(opened.oldestSeq == 11)
        try await room.append(11...11)
        #expect(try await room.read().seqs == [11])
    }

    @Test(arguments: StoreKind.allCases)
    func `appends delete what is not kept, step by step`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 10)
        try await room.append(1...2_000)
        for seq in UInt64(2_001)...2_100 {
            room.test.clock.advance(by: .milliseconds(100))
            try await room.append(seq...seq)
            if seq == 2_025 { #expect(try await room.test.storedMessages() < 2_000) }
        }
        #expect(try await room.test.storedMessages() < 100)
    }

    @Test(arguments: StoreKind.allCases)
    func `whether messages went by number or age is known, also when more is kept later`(_ kind: StoreKind) async throws
    {
        let test = try StoreUnderTest.make(kind)
        let small = try await test.open(keep: 10, age: .seconds(60))
        try await small.append(1...9)
        let trimmed = try await small.append(10...25)
        #expect(trimmed.oldestSeq == 16 && !trimmed.hasExpired)
        let large = try await test.open(keep: 1_000, age: .seconds(60))
        #expect(large.opened.oldestSeq == 16 && !large.opened.hasExpired)
        #expect(try await !large.read(.after(0, through: 25)).hasExpired)
        test.clock.advance(by: .seconds(61))
        let expired = try await large.read(.after(0, through: 25))
        #expect(expired.oldestSeq == 26 && expired.hasExpired)
        let aged = try await large.append(26...30)
        #expect(aged.oldestSeq == 26 && aged.hasExpired)
        #expect(try await large.reopened().opened.hasExpired)
        // those that go by number after them are newer
        let again = try await test.open(keep: 10, age: .seconds(60))
        let counted = try await again.append(31...40)
        #expect(counted.oldestSeq == 31 && !counted.hasExpired)
        #expect(try await !again.reopened().opened.hasExpired)
    }

    @Test(arguments: StoreKind.allCases)
    func `a clock that was set back does not keep messages`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 10)
        room.test.clock.advance(by: .seconds(3_600))
        try await room.append(1...1_000)
        room.test.clock.advance(by: .seconds(-3_600))
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.test.storedMessages() < 1_000)
    }

    @Test(arguments: StoreKind.allCases)
    func `messages that come until the read do not push out what was asked for`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 10)
        try await room.append(1...100)
        try await room.append(101...500)
        #expect(try await room.read(.before(101), newest: 100).seqs == Array(91...100))
        #expect(try await room.read(.after(0, through: 100), newest: 100).seqs == Array(91...100))
        let now = try await room.read()
        #expect(now.seqs == Array(491...500))
        #expect(!now.hasExpired && now.oldestSeq == 491)
        // by then nobody waits for it any more
        room.test.clock.advance(by: .seconds(3))
        for seq in UInt64(501)...600 { try await room.append(seq...seq) }
        #expect(try await room.read(.before(101), newest: 100).seqs.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `what has expired is not served because it was kept when the query came`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 10, age: .seconds(60))
        try await room.append(1...10)
        room.test.clock.advance(by: .seconds(61))
        try await room.append(11...12)
        #expect(try await room.read(.before(11), newest: 10).seqs.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a lower number of messages holds for queries of before`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 100)
        try await room.append(1...100)
        let lowered = try await room.test.open("room", keep: 5)
        try await lowered.append(101...101)
        #expect(try await lowered.read(.before(101), newest: 100).seqs == Array(96...100))
        let raised = try await room.test.open("room", keep: 100)
        try await raised.append(102...102)
        #expect(try await raised.read(.before(103), newest: 102).seqs == Array(97...102))
    }

    @Test(arguments: StoreKind.allCases)
    func `a sweep trims every room`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        for index in 0..<100 {
            try await test.open("room \(index)", age: .seconds(60)).append(1...30)
        }
        try await test.open("lasting").append(1...7)
        test.clock.advance(by: .seconds(61))
        await test.store.sweep(now: test.clock.now)
        #expect(try await test.storedMessages() == 7)
    }

    @Test(arguments: StoreKind.allCases)
    func `keys of the last ten minutes are told when a room is opened`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        try await room.append(1...2, keyed: true)
        room.test.clock.advance(by: .seconds(601))
        let now = room.test.clock.now
        try await room.append(3...3)
        try await room.append(4...5, keyed: true)
        let entries = [UInt64(4), 5].map { LogEntry.make($0, sentAt: now, keyed: true) }
        let keys = try await room.reopened().opened.recentKeys
        #expect(keys.map(\.seq) == [4, 5])
        #expect(keys.map(\.key) == entries.map(\.key))
        #expect(keys.map(\.tail) == entries.map(\.tail))
    }

    @Test(arguments: StoreKind.allCases)
    func `keys are remembered for ten minutes also where few messages are kept`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open(keep: 1)
        try await room.append(1...500, keyed: true)
        try await room.append(501...501)
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.read().seqs == [501])
        #expect(try await room.reopened().opened.recentKeys.map(\.seq) == Array(1...500))
        room.test.clock.advance(by: .seconds(601))
        await room.test.store.sweep(now: room.test.clock.now)
        #expect(try await room.test.storedMessages() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a room opened twice is the same log`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        try await room.append(1...3)
        let again = try await room.reopened()
        #expect(again.opened.epoch == room.opened.epoch)
        try await again.append(4...4)
        #expect(try await room.read().seqs == [1, 2, 3, 4])
    }

    @Test(arguments: StoreKind.allCases)
    func `rooms have logs and epochs of their own`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        // Swift takes the last two for equal strings; their bytes differ.
        let names = ["a", "A", "caf\u{e9}", "cafe\u{301}"]
        var epochs: Set<Epoch> = []
        for (index, name) in names.enumerated() {
            let room = try await test.open(name)
            epochs.insert(room.opened.epoch)
            try await room.append(1...UInt64(index + 1))
        }
        #expect(epochs.count == names.count)
        for (index, name) in names.enumerated() {
            #expect(try await test.open(name).opened.lastSeq == UInt64(index + 1))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `appends that gather are stored and completed in order`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let rooms = [try await test.open("one"), try await test.open("two", durability: .power)]
        let completed = Completions()
        await withTaskGroup(of: Void.self) { group in
            for (index, room) in rooms.enumerated() {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        for seq in UInt64(1)...200 {
                            room.submit(seq...seq) { _ in
                                completed.append(seq, of: index)
                                if seq == 200 { continuation.resume() }
                            }
                        }
                    }
                }
            }
        }
        for (index, room) in rooms.enumerated() {
            #expect(completed.seqs(of: index) == Array(1...200))
            #expect(try await room.read().seqs == Array(1...200))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an append that does not continue its log is refused alone`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await test.open("room")
        let other = try await test.open("other")
        try await room.append(1...2)
        async let inOther = other.append(1...5)
        for wrong in [UInt64(2)...3, 4...5] {
            await #expect(throws: EngineError.unavailable) { try await room.append(wrong) }
        }
        _ = try await inOther
        #expect(try await room.read().seqs == [1, 2])
        #expect(try await other.read().seqs == [1, 2, 3, 4, 5])
        #expect(test.log.lines(.error).count == 2)
        try await room.append(3...3)
    }

    @Test(arguments: StoreKind.allCases)
    func `calls on a log that is no more are told so`(_ kind: StoreKind) async throws {
        let test = try StoreUnderTest.make(kind)
        let room = try await test.open()
        for log in [LogID(rawValue: 77, generation: room.opened.log.generation), LogID(rawValue: 1, generation: 99)] {
            var opened = room.opened
            opened.log = log
            let lost = OpenRoom(test: test, opened: opened, retention: room.retention, durability: .process)
            await #expect(throws: EngineError.reset) { try await lost.append(1...1) }
            await #expect(throws: EngineError.reset) { try await lost.read() }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a closed store has stored what came before and refuses what comes later`(_ kind: StoreKind) async throws {
        let room = try await StoreUnderTest.make(kind).open()
        let completed = Completions()
        room.submit(1...100) { result in
            if case .success = result { completed.append(100, of: 0) }
        }
        await room.test.store.close()
        #expect(completed.seqs(of: 0) == [100])
        await #expect(throws: EngineError.unavailable) { try await room.append(101...101) }
        await #expect(throws: EngineError.unavailable) { try await room.read() }
        await #expect(throws: EngineError.unavailable) { try await room.reopened() }
        await room.test.store.close()
    }
}

/// What was completed, in the order in which it was.
private final class Completions: Sendable {
    private let seqs = Mutex<[Int: [UInt64]]>([:])

    func append(_ seq: UInt64, of room: Int) {
        self.seqs.withLock { $0[room, default: []].append(seq) }
    }

    func seqs(of room: Int) -> [UInt64] {
        self.seqs.withLock { $0[room] ?? [] }
    }
}
