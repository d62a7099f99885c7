import Dispatch
import RoomCore
import RoomModel
import Synchronization
import Testing

@testable import RoomStore

/// What every engine owes the administration: rooms cleared, listed, and messages found.
@Suite(.timeLimit(.minutes(5)))
struct ClearContractTests {
    private let room: RoomKey
    private let other: RoomKey

    init() throws {
        self.room = try .make("room")
        self.other = try .make("other")
    }

    @Test(arguments: EngineKind.allCases)
    func `a cleared room's next log is empty and has another epoch`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let before = try await test.open(self.room)
        try await test.append(1...10, to: before.log)
        try await test.clear([self.room])
        let after = try await test.open(self.room)
        #expect(after.epoch != before.epoch)
        #expect(after.log != before.log)
        #expect(after.lastSeq == 0)
        #expect(after.lastID == nil)
        #expect(after.oldestSeq == 1)
        #expect(try await test.read(after.log) == [])
        try await test.append(1...2, to: after.log)
        #expect(try await test.read(after.log) == [1, 2])
    }

    @Test(arguments: EngineKind.allCases)
    func `calls with the old log are told that it is no more`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let old = try await test.open(self.room).log
        try await test.append(1...10, to: old)
        try await test.clear([self.room])
        for hasNewLog in [false, true] {
            // A new log is none of the old one's.
            if hasNewLog { try await test.append(1...3, to: try await test.open(self.room).log) }
            await #expect(throws: EngineError.reset) { try await test.append(11...11, to: old) }
            await #expect(throws: EngineError.reset) { try await test.append(4...4, to: old) }
            await #expect(throws: EngineError.reset) { try await test.read(old) }
            await #expect(throws: EngineError.reset) { try await test.find(EngineUnderTest.id(1), in: old) }
        }
    }

    @Test(arguments: EngineKind.allCases)
    func `the keys of cleared messages are told, before those of the next log`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        for number in UInt64(1)...3 {
            let entries = [LogEntry.keyed(2 * number - 1, as: 1), LogEntry.keyed(2 * number, as: 2)]
            try await test.append(entries, to: try await test.open(self.room).log)
            if number < 3 { try await test.clear([self.room]) }
        }
        try await test.append([.keyed(9, as: 1)], to: try await test.open(self.other).log)
        let keys = try await test.open(self.room).recentKeys
        #expect(keys.map(\.key.id.low) == [1, 2, 3, 4, 5, 6])
        #expect(keys.map(\.seq) == [0, 0, 0, 0, 1, 2])
        #expect(try await test.open(self.other).recentKeys.map(\.seq) == [1])
        try await test.clear([self.room])
        let cleared = try await test.open(self.room)
        #expect(cleared.recentKeys.map(\.key.id.low) == [1, 2, 3, 4, 5, 6])
        #expect(cleared.recentKeys.allSatisfy { $0.seq == 0 })
        #expect(cleared.lastSeq == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `an empty log is cleared too`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let before = try await test.open(self.room)
        try await test.clear([self.room])
        #expect(try await test.rooms(in: "test") == [])
        let others = try await test.open(self.other)
        await #expect(throws: EngineError.reset) { try await test.append(1...1, to: before.log) }
        #expect(try await test.read(others.log) == [])
        #expect(try await test.open(self.room).epoch != before.epoch)
    }

    @Test(arguments: EngineKind.allCases)
    func `only the named rooms are cleared, and one without a log does no harm`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let kept = [
            self.other, try RoomKey.make("room", channel: "test2"), try RoomKey.make("Room"), try RoomKey.make("room'"),
        ]
        for key in kept + [self.room] {
            try await test.append(1...3, to: try await test.open(key).log)
        }
        let none = ["none", "%", "' OR 1=1; --", "other\0", ""]
        try await test.clear(try none.map { try RoomKey.make($0) } + [self.room, self.room])
        try await test.clear([])
        for key in kept {
            #expect(try await test.read(try await test.open(key).log) == [1, 2, 3])
        }
        #expect(try await test.open(self.room).lastSeq == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `many rooms are cleared in one call`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let rooms = try (0..<300).map { try RoomKey.make("room \($0)") }
        for room in rooms {
            try await test.append(1...2, to: try await test.open(room).log)
        }
        try await test.clear(Array(rooms.dropFirst()))
        #expect(try await test.rooms(in: "test") == ["room 0"])
    }

    @Test(arguments: EngineKind.allCases)
    func `an append is stored before the clear that follows it, or refused`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        let (results, cleared) = (AppendResults(), AppendResults())
        await withCheckedContinuation { continuation in
            let answers = DispatchGroup()
            for seq in UInt64(1)...200 {
                answers.enter()
                test.engine.append(EngineUnderTest.batch(seq...seq, log)) { result in
                    results.append(result.map { AppendReceipt(oldestSeq: $0.oldestSeq) })
                    answers.leave()
                }
                guard seq == 100 else { continue }
                answers.enter()
                test.engine.clear([self.room]) {
                    cleared.append($0.map { AppendReceipt(oldestSeq: 0) })
                    answers.leave()
                }
            }
            answers.notify(queue: .global()) { continuation.resume() }
        }
        await #expect(throws: EngineError.reset) { try await test.append(201...201, to: log) }
        // The clear may overtake some, or some the clear.
        let stored = results.all.prefix { $0 == .success(AppendReceipt(oldestSeq: 1)) }
        let refused = [Result<AppendReceipt, EngineError>](repeating: .failure(.reset), count: 200 - stored.count)
        #expect(results.all == stored + refused)
        // It may be told before or after the others: only calls of one kind are answered in their order.
        #expect(cleared.all == [.success(AppendReceipt(oldestSeq: 0))])
        #expect(try await test.open(self.room).lastSeq == 0)
    }

    @Test(arguments: EngineKind.allCases)
    func `a clear of no room waits for all logs that are about to begin`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let rooms = try (0..<200).map { try RoomKey.make("room \($0)") }
        let logs = try await Self.open(rooms, test)
        let results = AppendResults()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            for log in logs { test.engine.append(EngineUnderTest.batch(1...1, log)) { results.append($0) } }
            test.engine.clear([]) { continuation.resume(with: $0) }
        }
        #expect(results.all.count == 200)
        #expect(try await test.rooms(in: "test").count == 200)
    }

    private static func open(_ rooms: [RoomKey], _ test: EngineUnderTest) async throws -> [LogID] {
        var logs: [LogID] = []
        for room in rooms { logs.append(try await test.open(room).log) }
        return logs
    }

    @Test(arguments: EngineKind.allCases)
    func `rooms with a log are listed by the bytes of their names`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        for name in ["b", "a", "\u{e9}", "e\u{301}", "Z", "observable-x"] {
            try await test.append(1...1, to: try await test.open(try .make(name)).log)
        }
        try await test.append(1...1, to: try await test.open(try .make("elsewhere", channel: "other")).log)
        let names = try await test.rooms(in: "test")
        #expect(
            names.map { Array($0.utf8) }
                == ["Z", "a", "b", "e\u{301}", "observable-x", "\u{e9}"].map { Array($0.utf8) }
        )
        #expect(try await test.rooms(in: "other") == ["elsewhere"])
        #expect(try await test.rooms(in: "none") == [])
    }

    @Test(arguments: EngineKind.allCases)
    func `a message is found by its stamp`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        #expect(try await test.find(EngineUnderTest.id(1), in: log) == nil)
        try await test.append(1...777, to: log)
        for seq in UInt64(1)...777 {
            #expect(try await test.find(EngineUnderTest.id(seq), in: log) == seq)
        }
        #expect(try await test.find(EngineUnderTest.id(778), in: log) == nil)
        let near = EngineUnderTest.id(5)
        #expect(try await test.find(UniqueID(high: near.high, low: near.low + 1), in: log) == nil)
        #expect(try await test.find(UniqueID(high: 0, low: 0), in: log) == nil)
        #expect(try await test.find(UniqueID(high: .max, low: .max), in: log) == nil)
    }
}

private final class AppendResults: Sendable {
    private let results = Mutex<[Result<AppendReceipt, EngineError>]>([])

    var all: [Result<AppendReceipt, EngineError>] { self.results.withLock { $0 } }

    func append(_ result: Result<AppendReceipt, EngineError>) {
        self.results.withLock { $0.append(result) }
    }
}
