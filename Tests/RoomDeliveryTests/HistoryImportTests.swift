import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// An export that becomes a room's history while people are in the room.
@OneThread
struct HistoryImportTests {
    private static func entries(_ seqs: ClosedRange<UInt64>) -> [LogEntry] {
        seqs.map { seq in
            let id = UniqueID(milliseconds: ManualClock.start - 1_000, sequence: UInt16(seq), random: seq)
            let sender = #"{"id":"rest","kind":"rest"}"#
            let tail = #""id":"\#(id)","timestamp":1763697599,"seq":\#(seq),"sender":\#(sender),"message":\#(seq)}"#
            return LogEntry(seq: seq, id: id, tail: ByteBuffer(string: tail))
        }
    }

    private static func member(_ broker: TestBroker, shard: Int = 0) -> (TestConnection, String) {
        let client = broker.connect(shard: shard)
        client.handshake()
        let epoch = client.subscribe("room")?.text("epoch") ?? ""
        _ = client.receive()
        return (client, epoch)
    }

    @Test(arguments: [1, 2])
    func `members are told of another log, and the next message goes on after it`(shards: Int) async throws {
        let broker = TestBroker(shards: shards, channels: [.make(history: 100)])
        let (ann, epoch) = Self.member(broker)
        let (bob, _) = Self.member(broker, shard: shards - 1)
        let receipt = try await broker.ask { gateway in
            try await gateway.importHistory(Self.entries(5...8), into: .make(), after: nil)
        }
        #expect(receipt.seq == 8)
        for client in [ann, bob] {
            let frames = client.receive()
            #expect(frames.map(\.type) == ["gap"])
            #expect(frames.first?.text("epoch") == "\(receipt.epoch)")
            #expect(frames.first?.text("epoch") != epoch)
        }
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [5, 6, 7, 8])
        #expect(ann.publish("room", "1")?.seq == 9)
        #expect(bob.summaries() == ["publish 9"])
    }

    @Test func `parts follow each other, and a publish between two ends the import`() async throws {
        let broker = TestBroker(channels: [.make(history: 100)])
        let (ann, _) = Self.member(broker)
        let first = try await broker.ask { gateway in
            try await gateway.importHistory(Self.entries(1...2), into: .make(), after: nil)
        }
        let second = try await broker.ask { gateway in
            try await gateway.importHistory(
                Self.entries(3...4),
                into: .make(),
                after: Position(epoch: first.epoch, seq: first.seq)
            )
        }
        _ = ann.receive()
        #expect(ann.publish("room", "1")?.seq == 5)
        await #expect(throws: HistoryImportError.movedOn) {
            try await broker.ask { gateway in
                try await gateway.importHistory(
                    Self.entries(5...6),
                    into: .make(),
                    after: Position(epoch: second.epoch, seq: second.seq)
                )
            }
        }
        await #expect(throws: HistoryImportError.occupied) {
            try await broker.ask { gateway in
                try await gateway.importHistory(Self.entries(1...2), into: .make(), after: nil)
            }
        }
        #expect(ann.history("room")?.list("messages")?.map(\.seq) == [1, 2, 3, 4, 5])
    }

    @Test func `a room that keeps no history takes none`() async {
        let broker = TestBroker(channels: [.make(history: nil)])
        let error = await #expect(throws: HistoryImportError.self) {
            try await broker.ask { gateway in
                try await gateway.importHistory(Self.entries(1...2), into: .make(), after: nil)
            }
        }
        guard case .refused(let refusal)? = error else {
            Issue.record("it is \(String(describing: error))")
            return
        }
        #expect(refusal.code == .historyOff)
    }
}
