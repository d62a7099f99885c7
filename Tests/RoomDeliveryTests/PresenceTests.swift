import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// Who is in an observable room, and sessions that are resumed.
struct PresenceTests {
    private static let room = "observable-room"

    private static func resumable(_ broker: TestBroker, shard: Int = 0) -> (TestConnection, token: String, id: String) {
        let client = broker.connect(shard: shard)
        let reply = client.handshake(data: #"{"name":"Ann"}"#, #","resumable":true"#)
        client.subscribe(Self.room)
        _ = client.receive()
        return (client, reply?.text("resume_token") ?? "", reply?.text("client_id") ?? "")
    }

    @Test func `the joiner gets all members with itself, the others get its join`() {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined(Self.room)
        let bob = broker.connect(shard: 1)
        bob.handshake(data: #"{"name":"Bob"}"#)
        bob.subscribe(Self.room)
        let members = bob.receive().first
        #expect(members?.list("data")?.count == 2)
        #expect(members?.list("data")?.first?.object("clientData")?.text("name") == "Bob")
        #expect(ann.summaries() == ["observable_member_join"])
        bob.unsubscribe(Self.room)
        #expect(bob.summaries() == [])
        #expect(ann.summaries() == ["observable_member_leave"])
    }

    @Test func `members that join in one turn see each other in order, none as truncated`() {
        let broker = TestBroker()
        let clients = (0..<4).map { _ in broker.connect() }
        for client in clients { client.handshake() }
        for client in clients { _ = client.post("\"type\":\"subscribe\",\"room\":\"\(Self.room)\"") }
        for (index, client) in clients.enumerated() {
            let frames = client.receive().filter { $0.callback == nil }
            #expect(frames.first?.list("data")?.count == index + 1)
            #expect(frames.first?.number("count") == index + 1)
            #expect(frames.first?.keys.contains("truncated") == false)
            #expect(frames.dropFirst().map(\.type) == Array(repeating: "observable_member_join", count: 3 - index))
        }
    }

    @Test func `above the limit members are only counted`() {
        var limits = BrokerLimits()
        limits.membersListed = 2
        let broker = TestBroker(limits: limits)
        _ = (broker.connect().joined(Self.room), broker.connect().joined(Self.room))
        let cat = broker.connect()
        cat.handshake()
        cat.subscribe(Self.room)
        let members = cat.receive().first
        #expect(members?.list("data")?.isEmpty == true)
        #expect(members?.number("count") == 3)
        #expect(members?.flag("truncated") == true)
        #expect(cat.request("\"type\":\"members\",\"room\":\"\(Self.room)\"")?.number("count") == 3)
    }

    @Test(arguments: [false, true])
    func `a connection that ends is a leave at once`(isReset: Bool) {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined(Self.room)
        let bob = broker.connect(shard: 1).joined(Self.room)
        _ = ann.receive()
        if isReset { bob.drop() } else { bob.halfClose() }
        #expect(ann.summaries() == ["observable_member_leave"])
    }

    @Test func `new member data is told, and stands in what is sent next`() {
        let broker = TestBroker()
        let (ann, bob) = (broker.connect().joined(Self.room), broker.connect().joined(Self.room))
        _ = ann.receive()
        bob.request(#""type":"update","client_data":{"name":"Robert"}"#)
        bob.say(Self.room, "1")
        let frames = ann.receive()
        #expect(frames.map(\.summary) == ["observable_member_update", "publish 1"])
        #expect(frames.last?.object("sender")?.object("clientData")?.text("name") == "Robert")
    }

    @Test(arguments: [0, 1], [false, true])
    func `a session that is resumed in time is neither left nor joined`(shard: Int, isReset: Bool) {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (ann, token, id) = Self.resumable(broker)
        _ = watcher.receive()
        if isReset { ann.drop() } else { ann.halfClose() }
        broker.advance(by: .seconds(5))

        let again = broker.connect(shard: shard)
        let reply = again.handshake("test", token)
        #expect(reply?.flag("resumed") == true)
        #expect(reply?.text("client_id") == id)
        again.subscribe(Self.room)
        broker.advance(by: .seconds(60))
        #expect(watcher.summaries() == [])
        again.say(Self.room, "1")
        #expect(watcher.receive().first?.object("sender")?.object("clientData")?.text("name") == "Ann")
    }

    @Test func `a session that is resumed with other member data is told as updated`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (ann, token, id) = Self.resumable(broker)
        _ = watcher.receive()
        ann.drop()

        let again = broker.connect()
        again.handshake(data: #"{"name":"Anna"}"#, #","resume":"\#(token)""#)
        again.subscribe(Self.room)
        let frames = watcher.receive()
        #expect(frames.map(\.summary) == ["observable_member_update"])
        #expect(frames.first?.object("data")?.text("id") == id)
        #expect(frames.first?.object("data")?.object("clientData")?.text("name") == "Anna")
    }

    @Test func `a session that is not resumed in time is left once`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (ann, token, id) = Self.resumable(broker)
        _ = watcher.receive()
        ann.drop()
        broker.advance(by: .seconds(9))
        #expect(watcher.summaries() == [])
        broker.advance(by: .seconds(2))
        #expect(watcher.summaries() == ["observable_member_leave"])
        let reply = broker.connect().handshake("test", token)
        #expect(reply?.flag("resumed") == false)
        #expect(reply?.text("client_id") != id)
    }

    @Test func `rooms that are not subscribed again within the grace period are left`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (ann, token, _) = Self.resumable(broker)
        _ = watcher.receive()
        ann.drop()
        broker.connect(shard: 1).handshake("test", token)
        #expect(watcher.summaries() == [])
        broker.advance(by: .seconds(11))
        #expect(watcher.summaries() == ["observable_member_leave"])
    }

    enum Ending: CaseIterable {
        case ofGracePeriod, ofConnection, ofConnectionBeforeTheAnswer
    }

    @Test(arguments: Ending.allCases)
    func `a room that does not let a resumed session in again is left`(ending: Ending) {
        let broker = TestBroker()
        let watcher = broker.connect().joined(Self.room)
        let (ann, token, _) = Self.resumable(broker)
        ann.drop()
        broker.engine.failNext(.append, .unavailable)
        watcher.publish(Self.room, "1")
        _ = watcher.receive()

        let again = broker.connect()
        again.handshake("test", token)
        broker.engine.failNext(.open, .unavailable)
        broker.engine.hold()
        let epoch = broker.engine.epoch(of: .make(Self.room))?.description ?? ""
        let since = #""since":{"epoch":"\#(epoch)","seq":0}"#
        let subscribe = again.post(#""type":"subscribe","room":"\#(Self.room)",\#(since)"#)
        broker.run()
        if ending == .ofConnectionBeforeTheAnswer { again.drop() }
        broker.engine.release()
        broker.run()
        if ending != .ofConnectionBeforeTheAnswer {
            #expect(again.reply(to: subscribe)?.code == "storage_unavailable")
            #expect(watcher.summaries() == [])
        }
        if ending == .ofConnection { again.drop() } else { broker.advance(by: .seconds(11)) }
        #expect(watcher.summaries() == ["observable_member_leave"])
    }

    @Test(arguments: [0, 1])
    func `a session is taken over from a connection that still looks alive`(shard: Int) {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (ann, token, id) = Self.resumable(broker)
        _ = watcher.receive()
        let again = broker.connect(shard: shard)
        #expect(again.handshake("test", token)?.text("client_id") == id)
        again.subscribe(Self.room)
        #expect(ann.receive().last?.code == "replaced")
        #expect(ann.isClosed)
        #expect(watcher.summaries() == [])
        #expect(broker.connect().handshake("test", token)?.flag("resumed") == false)
    }

    @Test func `a client that goes before its resume is answered leaves nobody behind`() {
        let broker = TestBroker(shards: 2)
        let watcher = broker.connect(shard: 1).joined(Self.room)
        let (_, token, _) = Self.resumable(broker)
        _ = watcher.receive()
        let again = broker.connect(shard: 1)
        again.sendBytes("{\"type\":\"handshake\",\"channel\":\"test\",\"resume\":\"\(token)\"}\n")
        again.halfClose()
        broker.advance(by: .seconds(60))
        #expect(again.isGone)
        #expect(watcher.summaries() == ["observable_member_leave"])
    }
}

extension TestConnection {
    @discardableResult
    fileprivate func handshake(_ channel: String, _ token: String) -> ReceivedFrame? {
        self.handshake(channel: channel, ",\"resume\":\"\(token)\"")
    }
}
