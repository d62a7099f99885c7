import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A kick takes a member out at once, and its session cannot be resumed.
struct KickTests {
    private static func resumed(_ broker: TestBroker, _ token: String) -> Bool? {
        broker.connect(shard: 1).handshake(#","resume":"\#(token)""#)?.flag("resumed")
    }

    @Test(arguments: [0, 1])
    func `a kicked member is told why and by whom, the others that it has left`(shard: Int) {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect().joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room", "other"], shard: shard)
        _ = watcher.receive()
        broker.kick(bob.id, from: "observable-room", reason: "spam")
        let removed = bob.client.receive()
        #expect(removed.map(\.type) == ["removed"])
        #expect(removed.first?.code == "kicked")
        #expect(removed.first?.text("reason") == "spam")
        #expect(removed.first?.object("sender")?.text("id") == "mod")
        #expect(watcher.summaries() == ["observable_member_leave"])
        watcher.publish("observable-room", "1")
        watcher.publish("other", "1")
        #expect(bob.told() == ["publish 1"])
        // it can come back, and is a new member then
        #expect(bob.client.subscribe("observable-room")?.code == nil)
        #expect(watcher.summaries().suffix(1) == ["observable_member_join"])
    }

    @Test(arguments: ["test", "plain"])
    func `it gets what came before, and nothing that came after`(channel: String) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect(shard: 1).joined("room", channel: channel)
        let bob = ResumableClient(broker, ["room"], shard: 0, channel: channel)
        broker.engine.hold()
        ann.say("room", "0")
        broker.run()
        for number in 1...3 { ann.say("room", "\(number)") }
        broker.run()
        broker.kick(bob.id, from: "room", channel)
        broker.run()
        for number in 4...6 { ann.say("room", "\(number)") }
        broker.run()
        broker.engine.release()
        #expect(bob.told() == ["publish 1", "publish 2", "publish 3", "publish 4", "removed kicked"])
        #expect(ann.receive().filter { $0.type == "publish" }.count == 7)
    }

    @Test func `who is gone right after its kick has no grace`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect().joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room", "observable-other"])
        watcher.subscribe("observable-other")
        broker.kick(bob.id, from: "observable-room")
        broker.run()
        _ = watcher.receive()
        bob.client.drop()
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(Self.resumed(broker, bob.token) == false)
    }

    @Test func `who is away when it is kicked leaves all its rooms`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect().joined("observable-room")
        watcher.subscribe("observable-other")
        let bob = ResumableClient(broker, ["observable-room", "observable-other"], shard: 1)
        bob.client.drop()
        _ = watcher.receive()
        broker.kick(bob.id, from: "observable-room")
        #expect(
            watcher.receive().map(\.room).sorted { $0 ?? "" < $1 ?? "" } == ["observable-other", "observable-room"]
        )
        #expect(Self.resumed(broker, bob.token) == false)
        broker.advance(by: .seconds(20))
        #expect(watcher.summaries() == [])
    }

    @Test func `a kick from the channel ends the session`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect().joined("observable-room")
        let bob = ResumableClient(broker, ["observable-room"], shard: 1)
        _ = watcher.receive()
        broker.kick(bob.id, reason: "spam")
        let goodbye = bob.client.receive().last
        #expect(goodbye?.code == "kicked")
        #expect(goodbye?.text("reason") == "spam")
        #expect(goodbye?.flag("reconnect") == false)
        #expect(bob.client.isClosed)
        #expect(watcher.summaries() == ["observable_member_leave"])
        #expect(Self.resumed(broker, bob.token) == false)
    }

    /// The shard that holds the session, and the one to which it is to come.
    private static let ways = [(0, 0), (0, 1), (1, 0), (1, 2), (2, 0), (2, 1)]

    @Test(arguments: Self.ways, [true, false])
    func `a session on its way to be resumed does not escape`(way: (from: Int, to: Int), isAway: Bool) {
        for fromRoom in [true, false] {
            let broker = TestBroker(shards: 3)
            let watcher = broker.connect(shard: 0).joined("observable-room")
            let bob = ResumableClient(broker, ["observable-room"], shard: way.from)
            if isAway { bob.client.drop() }
            let again = broker.connect(shard: way.to)
            let callback = again.post(#""type":"handshake","channel":"test","resumable":true,"resume":"\#(bob.token)""#)
            broker.deliverInput()
            if fromRoom { broker.kick(bob.id, from: "observable-room") } else { broker.kick(bob.id) }
            broker.run()
            let reply = again.reply(to: callback)
            let next = reply?.text("resume_token") ?? ""
            if reply?.flag("resumed") == true {
                #expect(fromRoom || again.isClosed)
                #expect(Self.resumed(broker, next) == false)
            } else {
                #expect(reply?.text("client_id") != bob.id)
            }
            #expect(
                broker.shards.allSatisfy { $0.onLoop.owner.member(ClientID(bob.id), .make("observable-room")) == nil }
            )
            _ = watcher.receive()
            again.drop()
            broker.advance(by: .seconds(20))
            #expect(watcher.summaries() == [])
        }
    }

    @Test func `a session that comes to a loop which has heard of the kick ends there`() {
        let broker = TestBroker(shards: 2)
        _ = broker.connect().joined("room")
        let bob = ResumableClient(broker, ["room"], shard: 1)
        bob.client.drop()
        let again = broker.connect(shard: 0)
        let callback = again.post(#""type":"handshake","channel":"test","resume":"\#(bob.token)""#)
        broker.deliverInput()
        broker.kick(bob.id)
        #expect(again.reply(to: callback)?.flag("resumed") == false)
        #expect(!again.isClosed)
        #expect(broker.shards.allSatisfy { $0.onLoop.owner.member(ClientID(bob.id), .make()) == nil })
    }

    @Test func `a plain-text member that is kicked is told and closed`() {
        let broker = TestBroker()
        let luke = broker.connect(from: "192.0.2.7")
        luke.sendBytes("iam:Luke\n")
        _ = luke.receiveLines()
        let id = broker.shards[0].onLoop.owner.members(of: .make("lobby")).clients.first?.text ?? ""
        broker.kick(id, from: "lobby", reason: "spam")
        #expect(luke.receiveLines() == ["* you were kicked out of this room: spam"])
        #expect(luke.isClosed)
        #expect(broker.shards[0].onLoop.owner.members(of: .make("lobby")).count == 0)
    }

    @Test func `a member that comes into many rooms is told in their answer of the one it was kicked from`() {
        let broker = TestBroker(shards: 2)
        _ = broker.connect().joined("open")
        let bob = ResumableClient(broker, shard: 1)
        broker.engine.hold()
        let callback = bob.client.post(#""type":"subscribe","rooms":["open","waiting"]"#)
        broker.run()
        broker.kick(bob.id, from: "open")
        broker.run()
        broker.engine.release()
        let reply = bob.client.reply(to: callback)
        #expect(reply?.list("rooms")?.map { $0.code ?? "joined" } == ["kicked", "joined"])
        #expect(bob.told() == [])
    }

    @Test(arguments: ["room", "observable-room"])
    func `a member that is kicked in the moment in which it comes in is told both`(room: String) {
        let broker = TestBroker(shards: 2)
        let bob = ResumableClient(broker, shard: 1)
        broker.engine.hold()
        let callback = bob.client.post(#""type":"subscribe","room":"\#(room)""#)
        broker.run()
        broker.kick(bob.id, from: room)
        broker.run()
        broker.engine.release()
        broker.run()
        let frames = bob.client.receive()
        #expect(frames.first { $0.callback == callback }?.text("epoch") != nil)
        #expect(frames.last?.type == "removed")
        #expect(frames.last?.code == "kicked")
        #expect(bob.client.request(#""type":"rooms""#)?.list("rooms")?.isEmpty == true)
    }

    @Test func `who is kicked while it leaves in order, and comes in late, does not stay`() {
        let broker = TestBroker(shards: 2)
        let bob = ResumableClient(broker, shard: 1)
        broker.engine.hold()
        _ = bob.client.post(#""type":"subscribe","room":"observable-room""#)
        broker.run()
        bob.client.halfClose()
        broker.kick(bob.id)
        broker.run()
        broker.engine.release()
        broker.run()
        #expect(broker.shards.allSatisfy { $0.onLoop.owner.member(ClientID(bob.id), .make("observable-room")) == nil })
    }

    @Test func `who is not a member is not kicked, and keeps its session`() {
        let broker = TestBroker(shards: 2)
        _ = broker.connect().joined("room")
        let bob = ResumableClient(broker, ["room"])
        broker.kick("nobody", from: "room")
        broker.kick("nobody")
        bob.client.drop()
        #expect(Self.resumed(broker, bob.token) == true)
    }
}
