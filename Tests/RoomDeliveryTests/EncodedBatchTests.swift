import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A batch becomes bytes in the formats that are needed.
struct EncodedBatchTests {
    private static func room(_ joins: [JoinCommand], history: Int? = nil) -> Room {
        let channel = RoomChannel(settings: .make(history: history))
        let settings = channel.roomSettings(of: RoomName("room"), BrokerLimits())
        var room = Room(key: .make(), settings: settings, epoch: Epoch(rawValue: 1), limits: BrokerLimits())
        for join in joins { _ = room.enqueue(.join(join)) }
        if history != nil {
            _ = room.enqueue(.members(Origin(connection: .make(), callback: 1)))
            _ = room.advance()
            room.opened(.make())
        }
        _ = Self.batch(&room)
        return room
    }

    private static func batch(_ room: inout Room, _ commands: RoomCommand...) -> RoomBatch {
        for command in commands { _ = room.enqueue(command) }
        return room.takeBatch(
            RoomTurn(
                milliseconds: 0,
                steadyMilliseconds: 0,
                ids: IDSequence(milliseconds: 1_763_697_600_000, seed: 1)
            )
        )
    }

    private static func encoded(_ batch: RoomBatch) -> EncodedBatch {
        EncodedBatch(batch, JSONLinesEncoder(room: RoomName("room")), Epoch(rawValue: 1))
    }

    private static func lines(_ chunk: Chunk, _ format: WireFormat) -> [Substring] {
        String(buffer: chunk.bytes(format)).split(separator: "\n")
    }

    @Test func `only the formats of members are made`() {
        var room = Self.room([.make()])
        let plain = Self.encoded(Self.batch(&room, .publish(.make("\"1\"")))).chunk(
            number: 0,
            sealedAt: .uptimeNanoseconds(0)
        )
        #expect(plain.has(.jsonLines) && !plain.has(.textLines))
        let join = JoinCommand.make("bob", connection: 2, wireFormat: .textLines)
        let both = Self.encoded(Self.batch(&room, .join(join), .publish(.make("\"2\"")))).chunk(
            number: 1,
            sealedAt: .uptimeNanoseconds(0)
        )
        #expect(Self.lines(both, .textLines) == ["?: 2"])
        #expect(Self.lines(both, .jsonLines).count == 1)
        let again = Self.encoded(Self.batch(&room, .leave(ClientID("bob"), .make(2)), .publish(.make()))).chunk(
            number: 2,
            sealedAt: .uptimeNanoseconds(0)
        )
        #expect(again.has(.textLines))
        let without = Self.encoded(Self.batch(&room, .publish(.make()))).chunk(
            number: 3,
            sealedAt: .uptimeNanoseconds(0)
        )
        #expect(!without.has(.textLines))
    }

    @Test func `the store gets what is of the log, as its frames have it`() {
        var room = Self.room([.make()], history: 10)
        let publish = RoomCommand.publish(.make("7", messageID: 3, echoes: false))
        let batch = Self.batch(&room, .publish(.make("1", ephemeral: true)), publish)
        let encoded = Self.encoded(batch)
        let entries = encoded.logEntries
        #expect(entries.map(\.seq) == [1])
        #expect(entries.map { $0.key?.id } == [.make(3)])
        let frame = Self.lines(encoded.chunk(number: 0, sealedAt: .uptimeNanoseconds(0)), .jsonLines).last
        #expect(frame?.hasSuffix(entries.map { String(buffer: $0.tail) }.joined()) == true)
        #expect(encoded.chunk(number: 0, sealedAt: .uptimeNanoseconds(0)).restrictions.map(\.entry) == [1])
    }

    @Test func `a failed commit leaves presence and ephemeral entries, in their order`() {
        var room = Self.room([.make()], history: 10)
        let batch = Self.batch(
            &room,
            .publish(.make("1", callback: 1, ephemeral: true)),
            .publish(.make("2", callback: 2)),
            .join(.make("bob", connection: 2)),
            .publish(.make("3", callback: nil)),
            .publish(.make("4", callback: 4, ephemeral: true, echoes: false)),
            .join(.make("cyd", connection: 3))
        )
        let rest = batch.withoutStored(in: RoomName("room"))
        let chunk = Self.encoded(rest).chunk(number: 0, sealedAt: .uptimeNanoseconds(0))
        #expect(Self.lines(chunk, .jsonLines).map { $0.suffix(3) } == [":1}", ":4}"])
        #expect(chunk.lastSeq == 0 && !rest.needsCommit)
        #expect(chunk.restrictions.map(\.entry) == [1])
        let answers = rest.answers.map { answer in
            switch answer.content {
            case .acknowledged(let acknowledgement): "acknowledged \(acknowledgement.origin.callback ?? 0)"
            case .refused(let origin, let error): "\(error.code) \(origin.callback ?? 0)"
            case .joined(let admission): "joined at \(admission.grant.seq) behind \(answer.place)"
            default: "other"
            }
        }
        #expect(
            answers == [
                "acknowledged 1", "storageUnavailable 2", "joined at 0 behind 1", "storageUnavailable 0",
                "acknowledged 4", "joined at 0 behind 2",
            ]
        )
    }

    @Test func `a failed commit tells who only asks nothing of a publish`() {
        var room = Self.room([.make()], history: 10)
        let question = RoomCommand.history(
            Origin(connection: .make(), callback: 7),
            HistoryRequest(room: RoomName("room"))
        )
        let batch = Self.batch(&room, .publish(.make("1", callback: 1)), question)
        let texts = batch.withoutStored(in: RoomName("room")).answers.compactMap { answer -> String? in
            guard case .refused(_, let error) = answer.content else { return nil }
            return error.text
        }
        #expect(texts.count == 2 && texts.last?.hasPrefix("the history of this room cannot be reached") == true)
    }

    @Test func `a failed commit answers what was there before`() {
        var room = Self.room([.make()], history: 10)
        _ = Self.batch(&room, .publish(.make("1", messageID: 1)))
        room.committed(AppendReceipt(oldestSeq: 1))
        let batch = Self.batch(&room, .publish(.make("1", messageID: 1)), .publish(.make("2")))
        let answers = batch.withoutStored(in: RoomName("room")).answers.map(\.content)
        guard case .acknowledged(let first)? = answers.first, case .refused? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(first.isDuplicate && first.seq == 1)
    }
}
