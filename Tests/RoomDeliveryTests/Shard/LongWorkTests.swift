import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery

/// Work on many rooms or connections: counted in steps, no time is involved.
struct LongWorkTests {
    @Test func `long work is done in turns, and says once that it is done`() {
        let queue = FairQueue {
        } isLoopIdle: {
            false
        }
        var (steps, ends) = (0, 0)
        let work = LongWork(in: queue) {
            guard steps < 1_000 else { return nil }
            steps += 1
            return 7
        }
        work.whenDone { ends += 1 }
        work.takeTurn()
        #expect(steps == 29)
        var turns = 0
        while ends == 0, turns < 1_000 {
            let before = steps
            queue.serve()
            #expect(steps - before <= 180)
            turns += 1
        }
        #expect(steps == 1_000)
        #expect(turns > 5)
        work.whenDone { ends += 1 }
        #expect(ends == 2)
    }

    @Test func `work that begins later does nothing at once`() {
        let queue = FairQueue {
        } isLoopIdle: {
            false
        }
        var steps = 0
        let work = LongWork(in: queue) {
            steps += 1
            return steps > 3 ? nil : 1
        }
        work.beginLater()
        #expect(steps == 0)
        queue.serve()
        #expect(steps == 4)
    }

    @Test func `each room is told once, however often the data changes`() {
        var rooms = InsertionOrderedDictionary<RoomName, Session.Membership>()
        for number in 0..<100 { rooms[RoomName("\(number)")] = .joined }
        var untold = UntoldRooms()
        var told: [RoomName: Int] = [:]
        // changes without pause, a few rooms between two of them
        for _ in 0..<50 {
            untold.add(rooms)
            for _ in 0..<4 { if let room = untold.next(of: rooms) { told[room, default: 0] += 1 } }
        }
        #expect(told.count == 100)
        #expect(told.values.allSatisfy { $0 == 2 })
        var rest = 0
        while untold.next(of: rooms) != nil { rest += 1 }
        #expect(rest == 96)
        #expect(untold.isEmpty)
    }

    @Test func `no room is left out when others are left meanwhile`() {
        var rooms = InsertionOrderedDictionary<RoomName, Session.Membership>()
        for number in 0..<100 { rooms[RoomName("\(number)")] = .joined }
        var untold = UntoldRooms()
        untold.add(rooms)
        var told: Set<RoomName> = []
        for _ in 0..<50 { if let room = untold.next(of: rooms) { told.insert(room) } }
        for number in 0..<80 { rooms[RoomName("\(number)")] = nil }
        while let room = untold.next(of: rooms) { told.insert(room) }
        #expect(told.isSuperset(of: (80..<100).map { RoomName("\($0)") }))
        rooms = InsertionOrderedDictionary()
        untold.add(rooms)
        #expect(untold.isEmpty)
        #expect(untold.next(of: rooms) == nil)
    }

    private static func names(_ count: Int) -> [String] { (0..<count).map { "observable-\($0)" } }

    private static func subscribe(_ client: TestConnection, _ rooms: [String]) {
        client.request("\"type\":\"subscribe\",\"rooms\":[\(rooms.map { "\"\($0)\"" }.joined(separator: ","))]")
        _ = client.receive()
    }

    @Test(arguments: [1, 2])
    func `many updates of a client in many rooms are one entry in each room`(shards: Int) {
        let broker = TestBroker(shards: shards)
        let rooms = Self.names(200)
        let (ann, bob) = (broker.connect(), broker.connect(shard: shards - 1))
        ann.handshake()
        bob.handshake()
        Self.subscribe(ann, rooms)
        Self.subscribe(bob, rooms)
        _ = ann.receive()
        ann.sendBytes((1...100).map { "{\"type\":\"update\",\"client_data\":\($0)}\n" }.joined())
        let updates = bob.receive().filter { $0.type == "observable_member_update" }
        #expect(updates.count == 200)
        #expect(Set(updates.compactMap(\.room)) == Set(rooms))
        #expect(updates.allSatisfy { $0.object("data")?.number("clientData") == 100 })
    }

    @Test(arguments: [1, 2])
    func `a session with many rooms can be resumed while it is being cut`(shards: Int) {
        let broker = TestBroker(shards: shards)
        let rooms = Self.names(500)
        let bob = broker.connect()
        bob.handshake()
        Self.subscribe(bob, rooms)
        let ann = ResumableClient(broker, shard: shards - 1)
        Self.subscribe(ann.client, rooms)
        _ = bob.receive()
        ann.client.send(#"{"type":"update","client_data":"new"}"#)
        ann.client.dropBeforeAnswer()
        let again = ResumableClient(broker, ["observable-3"], resume: ann.token)
        #expect(again.id == ann.id)
        #expect(bob.receive().allSatisfy { $0.type == "observable_member_update" })
        broker.advance(by: .seconds(11))
        let left = bob.receive()
        #expect(left.count == 499)
        #expect(left.allSatisfy { $0.type == "observable_member_leave" && $0.room != "observable-3" })
        again.client.halfClose()
        #expect(bob.receive().isEmpty)
        broker.advance(by: .seconds(11))
        #expect(bob.receive().map(\.room) == ["observable-3"])
    }

    @Test func `a session that is revoked while its rooms are told leaves nobody behind`() {
        let broker = TestBroker()
        let rooms = Self.names(500)
        let bob = broker.connect()
        bob.handshake()
        Self.subscribe(bob, rooms)
        let ann = ResumableClient(broker)
        Self.subscribe(ann.client, rooms)
        _ = bob.receive()
        ann.client.dropBeforeAnswer()
        #expect(broker.shards[0].onLoop.revoke(ClientID(ann.id), in: .make("test")))
        #expect(bob.receive().filter { $0.type == "observable_member_leave" }.count == 500)
    }

    @Test func `beyond the limit the session that has lingered longest ends`() {
        var limits = BrokerLimits()
        limits.lingeringRooms = 8
        let broker = TestBroker(limits: limits)
        let bob = broker.connect().joined("observable-0")
        let clients = (0..<3).map { _ in ResumableClient(broker, ["observable-0", "other"], from: "127.0.0.1") }
        _ = bob.receive()
        clients[0].client.drop()
        clients[1].client.drop()
        #expect(bob.receive().isEmpty)
        clients[2].client.drop()
        let left = bob.receive()
        #expect(left.map { $0.object("data")?.text("id") } == [clients[0].id])
        let again = broker.connect()
        #expect(again.handshake(#","resume":"\#(clients[0].token)""#)?.flag("resumed") == false)
        #expect(again.handshake() != nil)
        let other = broker.connect()
        #expect(other.handshake(#","resume":"\#(clients[1].token)""#)?.flag("resumed") == true)
    }
}
