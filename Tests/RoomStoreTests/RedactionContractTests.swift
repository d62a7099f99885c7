import NIOCore
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// What every engine owes a redaction.
@Suite(.timeLimit(.minutes(5)))
struct RedactionContractTests {
    private let room: RoomKey

    init() throws {
        self.room = try .make("room")
    }

    private static func tombstone(_ seq: UInt64, id: UniqueID? = nil) -> Tombstone {
        Tombstone(seq: seq, id: id ?? EngineUnderTest.id(seq), tail: ByteBuffer(string: "gone \(seq)"))
    }

    @Test(arguments: EngineKind.allCases)
    func `a tombstone takes the place of its message, and the redaction its own`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        try await test.append(1...5, to: log)
        try await test.redact([Self.tombstone(2)], as: 6, in: log)
        let entries = try await test.entries(log)
        #expect(entries.map(\.seq) == [1, 2, 3, 4, 5, 6])
        #expect(entries.map(\.kind) == [.message, .tombstone, .message, .message, .message, .redaction])
        #expect(String(buffer: entries[1].tail) == "gone 2")
        #expect(entries[1].id == EngineUnderTest.id(2))
        #expect(try await test.find(EngineUnderTest.id(2), in: log) == 2)
        #expect(try await test.find(EngineUnderTest.id(6), in: log) == 6)
    }

    @Test(arguments: EngineKind.allCases)
    func `what is not there, is another message, or is none stays as it is`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        try await test.append(1...3, to: log)
        try await test.redact([Self.tombstone(2)], as: 4, in: log)
        let before = try await test.entries(log)
        let again = Tombstone(seq: 2, id: EngineUnderTest.id(2), tail: ByteBuffer(string: "again"))
        let strange = Self.tombstone(1, id: EngineUnderTest.id(3))
        try await test.redact([again, strange, Self.tombstone(4), Self.tombstone(99)], as: 5, in: log)
        #expect(try await test.entries(log).dropLast() == before[...])
    }

    @Test(arguments: EngineKind.allCases)
    func `an append that is refused redacts nothing`(_ kind: EngineKind) async throws {
        guard kind != .testKit else { return }  // it takes such an append for a mistake of the test
        let test = try kind.make()
        let log = try await test.open(self.room).log
        try await test.append(1...3, to: log)
        await #expect(throws: EngineError.self) { try await test.redact([Self.tombstone(2)], as: 9, in: log) }
        #expect(try await test.entries(log).map(\.kind) == [.message, .message, .message])
    }

    @Test(arguments: EngineKind.allCases)
    func `the redactions among the newest entries are known when it is opened`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        #expect(try await test.open(self.room).redactions == RedactionIndex())
        try await test.append(1...10, to: log)
        #expect(try await test.open(self.room).redactions.seqs == [])
        try await test.redact([Self.tombstone(2)], as: 11, in: log)
        try await test.append(12...12, to: log)
        try await test.redact([Self.tombstone(3)], as: 13, in: log)
        let opened = try await test.open(self.room)
        #expect(opened.redactions.seqs == [11, 13])
        #expect(opened.lastSeq == 13)
    }

    @Test(arguments: EngineKind.allCases)
    func `a redacted message keeps its publish key`(_ kind: EngineKind) async throws {
        let test = try kind.make()
        let log = try await test.open(self.room).log
        let entry = LogEntry.make(1, sentAt: EngineUnderTest.time, keyed: true)
        try await test.append([entry], to: log)
        try await test.redact([Tombstone(seq: 1, id: entry.id, tail: ByteBuffer(string: "gone"))], as: 2, in: log)
        let keys = try await test.open(self.room).recentKeys
        #expect(keys.map(\.key) == [entry.key])
        #expect(keys.map { String(buffer: $0.tail) } == ["gone"])
    }
}
