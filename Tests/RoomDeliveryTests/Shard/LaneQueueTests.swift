import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Rooms of clients that do little do not wait behind the rooms of those that do much.
struct LaneQueueTests {
    private final class Place: LaneMember {
        let name: String
        var lane: Lane?

        init(_ name: String) {
            self.name = name
        }
    }

    @Test func `a room waits once, and goes to the lane of sparse flows where one of them has to do with it`() {
        var queue = LaneQueue<Place>()
        let (first, second) = (Place("first"), Place("second"))
        for _ in 0..<2 {
            queue.append(first, to: .bulk)
            queue.append(second, to: .bulk)
        }
        queue.append(second, to: .sparse)
        queue.append(second, to: .bulk)
        #expect(second.lane == .sparse)
        #expect(queue.popFirst(of: .sparse)?.name == "second")
        #expect(queue.popFirst(of: .sparse) == nil)
        #expect(queue.popFirst(of: .bulk)?.name == "first")
        #expect(queue.popFirst(of: .bulk) == nil)
        #expect(queue.isEmpty)
    }

    @Test func `what flows do in their turns is bulk, and what they do at once is not`() {
        final class Worker: Flow {
            var share = WorkShare()
            var group: WorkGroup { .flow(ObjectIdentifier(self)) }
            var description: FlowDescription? { nil }
            var work: () -> Void = {}

            func takeTurn() { self.work() }
        }
        var (lane, lanes) = (Lane.sparse, [Lane]())
        let queue = FairQueue {
        } isLoopIdle: {
            false
        } looks: {
            nil
        } laneChanged: {
            lane = $0
        }
        let (sparse, bulk) = (Worker(), Worker())
        bulk.work = { lanes.append(lane) }
        sparse.work = { lanes.append(lane) }
        #expect(queue.begin(bulk) && lane == .sparse)
        bulk.share.spend(WorkShare.quantum)
        queue.worked(bulk, since: 0)
        queue.wait(bulk)
        queue.wait(sparse)
        queue.serve()
        #expect(lanes == [.sparse, .bulk])
        #expect(lane == .sparse)
    }

    @Test func `a message does not wait behind the rooms of a client that has used its share`() throws {
        let broker = TestBroker()
        let shard = broker.shards[0].onLoop
        let (speaker, attacker) = (broker.connect(), broker.connect())
        speaker.handshake()
        speaker.subscribe("normal")
        attacker.handshake()
        let rooms = (0..<1_000).compactMap { RoomName("room-\($0)") }
        let names = rooms.map { "\"\($0.text)\"" }.joined(separator: ",")
        attacker.request(#""type":"subscribe","rooms":[\#(names)]"#)
        _ = (speaker.receive(), attacker.receive())
        var (told, toldBefore) = (0, 0)
        attacker.onBytes { told += 1 }
        speaker.onBytes { if toldBefore == 0 { toldBefore = told + 1 } }

        shard.context.lane = .bulk
        let channel = try #require(broker.channel())
        let publish = PublishCommand.make(callback: nil, ephemeral: true)
        for room in rooms { shard.submit(.publish(publish), to: room, in: channel) }
        shard.context.lane = .sparse
        speaker.send(#"{"type":"publish","room":"normal","message":"in between","ephemeral":true}"#)
        broker.deliverInput()
        broker.run()
        #expect(told == rooms.count)
        #expect((1...100).contains(toldBefore), "behind \(toldBefore) messages of the attacker")
    }
}
