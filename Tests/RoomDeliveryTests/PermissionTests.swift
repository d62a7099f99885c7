import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// What a token lets its member do, room by room, at once and from then on.
struct PermissionTests {
    private static let channels: [ChannelSettings] = [.make(authentication: .optional)]

    private static let permissions = #"""
        {"^read$":{"subscribe":true},"^write$":{"publish":true},"^observable-":{"subscribe":true},"^observable-secret$":{"subscribe":false},
        "^deep$":{"subscribe":true,"history":3}}
        """#.split(separator: "\n").joined()

    private static func client(_ broker: TestBroker, _ permissions: String = Self.permissions) -> TestConnection {
        let client = broker.connect()
        client.handshake(token: TestToken.make(permissions))
        return client
    }

    @Test(
        arguments: [
            ("subscribe", "read", true), ("subscribe", "write", false), ("subscribe", "other", false),
            ("publish", "read", false), ("publish", "write", true), ("members", "observable-a", true),
            ("members", "observable-secret", false), ("history", "deep", true), ("history", "read", false),
        ]
    )
    func `each request is held to the room's permission`(type: String, room: String, isAllowed: Bool) {
        let client = Self.client(TestBroker(channels: Self.channels))
        let message = type == "publish" ? #","message":1"# : ""
        let reply = client.request("\"type\":\"\(type)\",\"room\":\"\(room)\"\(message)")
        #expect(reply?.code == (isAllowed ? nil : "permission_denied"))
    }

    @Test func `of many rooms those are joined that may be`() {
        let client = Self.client(TestBroker(channels: Self.channels))
        let reply = client.request(#""type":"subscribe","rooms":["read","write","deep","observable-secret"]"#)
        let codes = reply?.list("rooms")?.map { $0.code ?? "joined" }
        #expect(codes == ["joined", "permission_denied", "joined", "permission_denied"])
        #expect(client.request(#""type":"rooms""#)?.list("rooms")?.map(\.room) == ["read", "deep"])
    }

    @Test func `who shows no token where none is required may do all`() {
        let client = TestBroker(channels: Self.channels).connect()
        client.handshake()
        #expect(client.subscribe("observable-secret")?.code == nil)
        #expect(client.publish("read", "1")?.code == nil)
        #expect(client.history("read")?.code == nil)
    }

    // MARK: Another token

    @Test func `rooms that another token does not allow are left and told`() {
        let broker = TestBroker(shards: 2, channels: Self.channels)
        let watcher = broker.connect(shard: 1).joined("observable-b")
        let client = Self.client(broker, TestToken.everything)
        for room in ["observable-a", "observable-b", "read"] { client.subscribe(room) }
        _ = (client.receive(), watcher.receive())
        let callback = client.post(
            #""type":"authenticate","token":"\#(TestToken.make(#"{"^read$":{"subscribe":true}}"#))""#
        )
        let frames = client.receive()
        #expect(frames.map(\.summary) == ["removed", "removed", "reply \(callback)"])
        #expect(frames.compactMap(\.room) == ["observable-a", "observable-b"])
        #expect(frames.first?.text("reason")?.isEmpty == false)
        #expect(watcher.summaries() == ["observable_member_leave"])
        watcher.publish("observable-b", "1")
        watcher.publish("read", "2")
        #expect(client.summaries() == ["publish 1"])
        #expect(client.receive().isEmpty)
        #expect(client.request(#""type":"rooms""#)?.list("rooms")?.map(\.room) == ["read"])
        #expect(client.subscribe("observable-b")?.code == "permission_denied")
        client.authenticate(TestToken.make())
        #expect(client.subscribe("observable-b")?.code == nil)
    }

    @Test func `a refused token changes nothing`() {
        let client = Self.client(TestBroker(channels: Self.channels), TestToken.everything)
        client.subscribe("room")
        #expect(client.authenticate(TestToken.make("{}", expires: 0))?.code == "token_expired")
        #expect(client.publish("room", "1")?.code == nil)
        #expect(client.summaries() == ["publish 1"])
    }

    @Test func `a token waits for the joins before it`() {
        let broker = TestBroker(shards: 2, channels: Self.channels)
        let client = Self.client(broker, TestToken.everything)
        let room = broker.room(ownedBy: 1)
        let join = client.post("\"type\":\"subscribe\",\"room\":\"\(room)\"")
        let token = client.post("\"type\":\"authenticate\",\"token\":\"\(TestToken.make("{}"))\"")
        #expect(client.receive().map(\.summary) == ["reply \(join)", "removed", "reply \(token)"])
    }

    // MARK: authData

    @Test(arguments: AuthDataStamps.allCases, ["room", "observable-room"])
    func `authData is in stamps where the channel says, byte for byte`(stamps: AuthDataStamps, room: String) {
        let broker = TestBroker(channels: [Self.channels[0].with { $0.authDataStamps = stamps }])
        let data = #"{"role": "admin","n":1.0,"big":12345678901234567890}"#
        let ann = broker.connect()
        let id = ann.handshake(token: TestToken.make(data: data), data: #"{"a":1}"#)?.text("client_id") ?? ""
        ann.subscribe(room)
        let isObservable = room.hasPrefix("observable-")
        let full = #"{"id":"\#(id)","clientData":{"a":1},"authData":\#(data)}"#
        let bare = #"{"id":"\#(id)","clientData":{"a":1}}"#
        let members = ann.receive()
        if isObservable { #expect(members.first?.line.contains(#""data":[\#(full)]"#) == true) }

        let sender = stamps == .always || stamps == .observable && isObservable ? full : bare
        let reply = ann.publish(room, "1")
        #expect(reply?.line.hasSuffix(#""sender":\#(sender)}"#) == true)
        #expect(ann.receive().first?.line.hasSuffix(#""sender":\#(sender),"message":1}"#) == true)
        #expect(ann.history(room)?.line.contains(#""sender":\#(sender),"message":1}]"#) == true)
    }

    @Test func `other authData is told to the others`() {
        let broker = TestBroker(channels: Self.channels)
        let ann = broker.connect()
        ann.handshake(token: TestToken.make(data: "1"))
        ann.subscribe("observable-room")
        let bob = broker.connect().joined("observable-room")
        _ = ann.receive()
        ann.authenticate(TestToken.make(data: "1"))
        #expect(bob.summaries() == [])
        ann.authenticate(TestToken.make(data: "2"))
        let told = bob.receive()
        #expect(told.map(\.summary) == ["observable_member_update"])
        #expect(told.first?.object("data")?.number("authData") == 2)
        #expect(told.first?.object("sender")?.number("authData") == 2)
        ann.authenticate(TestToken.make())
        #expect(bob.receive().first?.object("data")?.keys == ["id"])
        ann.request(#""type":"update","client_data":3"#)
        #expect(bob.receive().first?.object("data")?.keys == ["id", "clientData"])
    }

    // MARK: History

    private static func room(_ depth: Int, history: Int = 1_000, messages: Int = 10) -> (TestConnection, String) {
        let broker = TestBroker(channels: [.make(history: history, authentication: .optional)])
        let writer = broker.connect()
        writer.handshake()
        let epoch = writer.subscribe("room")?.text("epoch") ?? ""
        writer.unsubscribe("room")
        for number in 0..<messages { writer.publish("room", "\(number + 1)") }
        let permissions = #"{"room":{"publish":true,"subscribe":true,"history":\#(depth)}}"#
        let client = broker.connect()
        client.handshake(token: TestToken.make(permissions))
        return (client, epoch)
    }

    @Test(
        arguments: [
            ("", 7...10, false), (#","limit":2"#, 9...10, true), (#","before_seq":10"#, 7...9, false),
            (#","before_seq":10,"limit":2"#, 8...9, true), (#","before_seq":100,"limit":4"#, 7...10, false),
            (#","after_seq":0"#, 7...10, false), (#","after_seq":2,"limit":2"#, 7...8, true),
            (#","after_seq":8"#, 9...10, false), (#","before_seq":8"#, 7...7, false),
        ] as [(String, ClosedRange<Int>, Bool)]
    )
    func `a query reads no further back than the token says`(fields: String, seqs: ClosedRange<Int>, more: Bool) {
        let (client, _) = Self.room(4)
        let reply = client.history("room", fields)
        #expect(reply?.list("messages")?.map { $0.seq ?? 0 } == Array(seqs))
        #expect(reply?.flag("more") == more)
    }

    @Test(arguments: ["before_seq\":7", "before_seq\":1", "after_seq\":10", "after_seq\":99"])
    func `what lies beneath is not there`(field: String) {
        let reply = Self.room(4).0.history("room", ",\"\(field)")
        #expect(reply?.list("messages")?.isEmpty == true)
        #expect(reply?.flag("more") == false)
    }

    @Test(arguments: [(0, 0), (2, 2), (4, 4), (9, 4)])
    func `history_count is capped`(count: Int, got: Int) {
        let (client, _) = Self.room(4)
        client.subscribe("room", ",\"history_count\":\(count)")
        #expect(client.receive().map(\.seq) == (0..<got).map { 11 - got + $0 })
    }

    @Test(
        arguments: [
            (0, 4, 1_000, ["gap 1-6 denied"], 7...10), (5, 4, 1_000, ["gap 6-6 denied"], 7...10),
            (6, 4, 1_000, [], 7...10), (8, 4, 1_000, [], 9...10), (0, 100, 1_000, [], 1...10),
            // the store keeps 8 to 10
            (0, 4, 3, ["gap 1-7 trimmed"], 8...10), (0, 2, 3, ["gap 1-8 denied"], 9...10),
            (8, 1, 3, ["gap 9-9 denied"], 10...10), (0, 3, 3, ["gap 1-7 trimmed"], 8...10),
        ] as [(Int, Int, Int, [String], ClosedRange<Int>)]
    )
    func `since is capped, and what is denied is a gap of exactly that`(
        seq: Int,
        depth: Int,
        kept: Int,
        gap: [String],
        rest: ClosedRange<Int>
    ) {
        let (client, epoch) = Self.room(depth, history: kept)
        let reply = client.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":\#(seq)}"#)
        #expect(reply?.flag("recovered") == gap.isEmpty)
        #expect(client.summaries() == gap + rest.map { "publish \($0)" })
    }

    @Test(arguments: ["history", "plain"])
    func `a token without history gets nothing of what was, in the window either`(kind: String) {
        let broker = TestBroker(channels: [.make(history: kind == "plain" ? nil : 10, authentication: .optional)])
        let keeper = broker.connect()
        keeper.handshake()
        let epoch = keeper.subscribe("room")?.text("epoch") ?? ""
        for _ in 0..<3 { keeper.publish("room", "1") }
        let client = Self.client(broker, #"{"room":{"subscribe":true}}"#)
        client.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":1}"#)
        keeper.publish("room", "2")
        #expect(client.summaries() == ["gap 2-3 denied", "publish 4"])
        client.unsubscribe("room")
        client.subscribe("room", #","since":{"epoch":"\#(epoch)","seq":4}"#)
        #expect(client.summaries() == [])
    }

    @Test func `a slow member is given what it missed whatever its token says of history`() {
        var limits = BrokerLimits()
        limits.windowPerRoom = 4_000
        let broker = TestBroker(channels: Self.channels, limits: limits)
        let fast = broker.connect()
        fast.handshake()
        let slow = Self.client(broker, #"{"room":{"subscribe":true}}"#)
        slow.subscribe("room")
        slow.stopReading(after: 700)
        for number in 1...60 {
            fast.say("room", "\"\(number) \(String(repeating: "x", count: 500))\"")
            broker.run()
        }
        slow.readOn()
        #expect(slow.receive().map(\.seq) == Array(1...60))
    }
}
