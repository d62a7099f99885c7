import NIOCore
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What the HTTP side sees of the rooms. All on one thread, as the embedded loop wants it.
@OneThread
struct GatewayTests {
    private static func member(
        _ broker: TestBroker,
        _ rooms: [String],
        shard: Int = 0,
        data: String? = nil,
        _ fields: String = ""
    ) -> (client: TestConnection, id: ClientID) {
        let client = broker.connect(shard: shard, from: "192.0.2.\(shard + 1)")
        let id = client.handshake(data: data, fields)?.text("client_id") ?? ""
        for room in rooms { client.subscribe(room) }
        _ = client.receive()
        return (client, ClientID(id))
    }

    @Test func `members are told in the order of joining, whoever holds them`() async {
        let broker = TestBroker(shards: 2)
        let members = (0..<4).map { Self.member(broker, ["room", "r\($0 % 2)"], shard: $0 % 2) }
        // it is in no room, and so no member
        _ = Self.member(broker, [])
        let ids = members.map(\.id)
        let channel = ChannelID.make()
        #expect(await broker.ask { await $0.members(of: .make()) } == ids)
        let all = await broker.ask { await $0.members(in: channel) }
        #expect(all.count == ids.count)
        #expect(Set(all) == Set(ids))
        let names = ["r0", "r1", "nobody", "room"].map { RoomName($0) }
        let rooms = await broker.ask { await $0.members(of: names, in: channel) }
        #expect(rooms.map(\.0.text) == ["r0", "r1", "room"])
        #expect(rooms.map(\.1) == [[ids[0], ids[2]], [ids[1], ids[3]], ids])
        #expect(await broker.ask { await $0.members(of: .make("nobody")) } == [])
        #expect(await broker.ask { await $0.members(in: .make("nowhere")) } == [])
        members[0].client.drop()
        #expect(await broker.ask { await $0.members(of: .make()) } == Array(ids.dropFirst()))
    }

    @Test func `a member whose session was resumed is one member`() async {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect()
        let token = ann.handshake(#","resumable":true"#)?.text("resume_token") ?? ""
        ann.stopReading(after: 0)
        let again = broker.connect(shard: 1)
        again.handshake(#","resume":"\#(token)""#)
        #expect(await broker.ask { await $0.members(in: .make()) }.isEmpty)
        again.subscribe("room")
        again.subscribe("other")
        #expect(await broker.ask { await $0.members(in: .make()) }.count == 1)
    }

    @Test func `details of members say where they are, how far behind, and who lingers`() async {
        let broker = TestBroker(shards: 2)
        let (ann, annID) = Self.member(broker, ["room"], data: #"{"n": 1.0}"#)
        let (slow, slowID) = Self.member(broker, ["room"], shard: 1)
        let (gone, goneID) = Self.member(broker, ["room"], data: "1", #","resumable":true"#)
        gone.drop()
        slow.stopReading(after: 0)
        for number in 0..<3 { ann.publish("room", "\(number)") }
        _ = slow.post(#""type":"ping""#)
        let page = await broker.ask { await $0.members(of: .make(), MemberQuery(limit: 10)) }
        let ids = [annID, slowID, goneID]
        #expect(page.members.map(\.id) == ids.map(\.text).sorted())
        #expect(page.total == 3 && !page.hasMore)
        let details = ids.compactMap { id in page.members.first { $0.id == id.text } }
        #expect(await broker.ask { await $0.member(slowID, of: .make()) } == details[1])
        #expect(await broker.ask { await $0.member(ClientID("nobody"), of: .make()) } == nil)
        #expect(details[0].clientDataBytes == ByteBuffer(string: #"{"n": 1.0}"#))
        #expect(details[0].connection?.address == "192.0.2.1")
        #expect(details[0].connection?.wireFormat == "json")
        #expect(details[0].connection?.connectedAt == AdminTime(milliseconds: ManualClock.start))
        #expect(details[0].connection?.lag == 0)
        #expect(details[1].connection?.lag ?? 0 >= 2)
        #expect(details[1].connection?.address == "192.0.2.2")
        #expect(details[1].connection?.queuedBytes ?? 0 > 0)
        #expect(details[2].connection == nil)
    }

    @Test func `members are told a page at a time, by their ids`() async {
        let broker = TestBroker()
        for _ in 0..<3 {
            let client = broker.connect()
            client.handshake()
            client.subscribe("room")
        }
        var (ids, after): ([String], String?) = ([], nil)
        for number in 1...3 {
            let query = MemberQuery(after: after, limit: 1)
            let page = await broker.ask { await $0.members(of: .make(), query) }
            #expect(page.members.count == 1 && page.total == 3)
            #expect(page.hasMore == (number < 3))
            after = page.members.first?.id
            ids += page.members.map(\.id)
        }
        #expect(Set(ids).count == 3 && ids == ids.sorted())
    }

    @Test func `who reads slowly is named, the furthest behind first, until it reads`() async {
        let broker = TestBroker(shards: 2)
        let (ann, _) = Self.member(broker, ["room", "other"])
        let (slow, slowID) = Self.member(broker, ["room"], shard: 1, data: #"{"n": 1.0}"#)
        let (slower, slowerID) = Self.member(broker, ["room", "other"])
        for member in [slow, slower] { member.stopReading(after: 0) }
        for number in 0..<9 { ann.publish("room", "\(number)") }
        for number in 0..<99 { ann.publish("other", "\(number)") }
        let found = await broker.ask { await $0.slowMembers(naming: 10) }
        #expect(found.count == 2 && found.furthest.map(\.id) == [slowerID.text, slowID.text])
        #expect(found.furthest.map(\.room) == ["other", "room"])
        #expect(found.furthest[0].lag > 50 && found.furthest[1].lag > 5)
        #expect(found.furthest[1].clientDataBytes == ByteBuffer(string: #"{"n": 1.0}"#))
        let one = await broker.ask { await $0.slowMembers(naming: 1) }
        #expect(one.count == 2 && one.furthest.map(\.id) == [slowerID.text])
        for member in [slow, slower] { member.readOn() }
        #expect(await broker.ask { await $0.slowMembers(naming: 10) } == SlowMembers())
        #expect(await broker.ask { await $0.statistics() }.members == 5)
    }

    @Test func `a member is slow whose socket is full of what has no seq`() async {
        let broker = TestBroker()
        let (slow, slowID) = Self.member(broker, ["room"])
        slow.stopReading(after: 0)
        for number in 1...3 { slow.say("room", "\(number)", #","ephemeral":true"#) }
        let found = await broker.ask { await $0.slowMembers(naming: 10) }
        #expect(found.furthest.map(\.id) == [slowID.text])
        #expect(found.furthest.map(\.lag) == [0])
    }

    @Test func `connections that have to wait for their turn are named, until they send less`() async {
        let broker = TestBroker(shards: 2)
        let (flood, floodID) = Self.member(broker, ["room"], shard: 1, data: #"{"n": 1.0}"#)
        let (ann, _) = Self.member(broker, ["room"])
        _ = ann.post(#""type":"ping""#)
        flood.sendBytes(ByteBuffer(string: String(repeating: #"{"type":"ping"}"# + "\n", count: 1_000)))
        broker.deliverInput()
        for shard in broker.shards { #expect(shard.onLoop.sampleFlows(processorTime: .zero) == []) }
        broker.advance(by: .milliseconds(200))
        for shard in broker.shards { #expect(shard.onLoop.sampleFlows(processorTime: .milliseconds(100)) == []) }
        let busy = await broker.ask { await $0.busyConnections(naming: 10) }
        #expect(busy.busiest.count == 1 && busy.count == 0, "it has waited for moments only")
        let member = FlowDescription.Member(
            channel: .make("test"),
            id: floodID,
            clientData: ByteBuffer(string: #"{"n": 1.0}"#)
        )
        #expect(busy.busiest.first?.flow.member == member)
        #expect(busy.addresses.map(\.connections) == [1])
        #expect(busy.busiest.first?.flow.connection?.shard == 1)
        #expect(busy.busiest.first?.percent ?? 0 > 10)
        #expect(await broker.ask { await $0.counters() }.map(\.heldBack) == [0, 0])
        for shard in broker.shards { _ = shard.onLoop.sampleFlows(processorTime: .milliseconds(100)) }
        #expect(await broker.ask { await $0.busyConnections(naming: 10) } == BusyConnections())
    }

    @Test(arguments: ["test", "plain"])
    func `a room is told as its owner knows it`(channel: String) async {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect(shard: 1)
        ann.handshake(channel: channel)
        let epoch = ann.subscribe("observable-room")?.text("epoch")
        for _ in 0..<3 { ann.publish("observable-room", "1") }
        let key = RoomKey.make("observable-room", channel: channel)
        let room = await broker.ask { await $0.room(key) }
        #expect(room?.members == 1)
        #expect(room?.subscribers == 1)
        #expect(room?.epoch == epoch)
        #expect(room?.seq == 3)
        #expect(room?.observable == true)
        #expect((room?.history != nil) == (channel == "test"))
        #expect(room?.window.bytes ?? 0 > 0)
        #expect(await broker.ask { await $0.room(.make("nobody")) } == nil)
    }

    @Test func `a room that had members is told from one that somebody has only asked for`() async throws {
        let broker = TestBroker(shards: 2)
        let (ann, _) = Self.member(broker, ["room"])
        ann.unsubscribe("room")
        let asked = HistoryRequest(room: RoomName("asked"))
        _ = try await broker.ask { try await $0.history(of: .make("asked"), asked, for: "uid:0") }
        let rooms = await broker.ask { (await $0.room(.make("room")), await $0.room(.make("asked"))) }
        #expect(rooms.0?.members == 0 && rooms.0?.hasHadMembers == true)
        #expect(rooms.1?.hasHadMembers == false)
    }

    @Test func `history is read to the depth that is allowed`() async throws {
        let broker = TestBroker(shards: 2)
        let (ann, _) = Self.member(broker, ["room"])
        for number in 1...10 { ann.publish("room", "\(number)") }
        let lines = ann.receive().map(\.line)
        let all = try await broker.ask {
            try await $0.history(of: .make(), HistoryRequest(room: RoomName("room")), for: "uid:0")
        }
        #expect(all.frames.map { String(buffer: $0) } == lines)
        #expect(all.seq == 10)
        #expect(!all.hasMore)
        let some = HistoryRequest(room: RoomName("room"), anchor: .before(10), limit: 2, depth: 3)
        let page = try await broker.ask { try await $0.history(of: .make(), some, for: "token:a") }
        #expect(page.frames.map { String(buffer: $0) } == Array(lines[7...8]))
        #expect(!page.hasMore)
        #expect(broker.engine.askers.suffix(2) == [.administrator("uid:0"), .administrator("token:a")])
        let none = HistoryRequest(room: RoomName("room"), depth: 0)
        #expect(try await broker.ask { try await $0.history(of: .make(), none, for: "uid:0") }.frames.isEmpty)
    }

    @Test(arguments: [("plain", Code.historyOff), ("nowhere", .unknownChannel), ("test", .storageUnavailable)])
    func `history that cannot be read is said`(channel: String, code: Code) async {
        let broker = TestBroker(shards: 2)
        if channel == "test" { broker.engine.failNext(.open, .unavailable) }
        await #expect { () async throws in
            _ = try await broker.ask {
                try await $0.history(
                    of: .make("room", channel: channel),
                    HistoryRequest(room: RoomName("room")),
                    for: "uid:0"
                )
            }
        } throws: { ($0 as? RequestError)?.code == code }
    }

    // MARK: Trace

    @Test(arguments: ["test", "plain"])
    func `a message is found in the log or the window, with who has got it`(channel: String) async throws {
        let broker = TestBroker(shards: 2)
        let ann = broker.connect().joined("room", channel: channel)
        let slow = broker.connect(shard: 1)
        let slowID = slow.handshake(channel: channel)?.text("client_id") ?? ""
        slow.subscribe("room")
        slow.stopReading(after: 0)
        let ids = (1...3).compactMap { ann.publish("room", "\($0)")?.text("id") }.compactMap { UniqueID($0.utf8) }
        // a message that quotes the id of another one
        ann.publish("room", #"{"id":"\#(UniqueID.make(77))"}"#)
        let key = RoomKey.make("room", channel: channel)
        let trace = try await broker.ask { try await $0.trace(ids[1], in: key) }
        #expect(trace?.seq == 2)
        #expect(trace?.stored == (channel == "test"))
        #expect(trace?.passed == 1)
        #expect(trace?.lagging.map(\.id) == [slowID])
        #expect(trace?.lagging.first?.lag == 3, "the first is in its socket's hands")
        #expect(try await broker.ask { try await $0.trace(.make(77), in: key) } == nil)
        #expect(try await broker.ask { try await $0.trace(ids[1], in: .make("other", channel: channel)) } == nil)
    }

    @Test func `a message that only the store has is found there`() async throws {
        let broker = TestBroker()
        let (ann, _) = Self.member(broker, [])
        let id = ann.publish("room", "1")?.text("id").flatMap { UniqueID($0.utf8) } ?? .make(0)
        let trace = try await broker.ask { try await $0.trace(id, in: .make()) }
        #expect(trace?.seq == 1 && trace?.stored == true && trace?.passed == 0 && trace?.lagging == [])
        broker.engine.failNext(.find, .unavailable)
        await #expect(throws: RequestError.self) {
            _ = try await broker.ask { try await $0.trace(id, in: .make()) }
        }
    }

    // MARK: Channels

    @Test func `a new channel and new settings are in effect on return`() async {
        let broker = TestBroker(shards: 3)
        let watch = broker.gateway.events.watch(after: nil).events
        await broker.ask { await $0.channelChanged(RoomChannel(settings: .make("new"))) }
        for shard in 0..<3 { #expect(broker.connect(shard: shard).handshake(channel: "new")?.code == nil) }
        let statistics = await broker.ask { await $0.statistics() }
        #expect(statistics.connections == 3)
        #expect(statistics.channels.first { $0.id == .make("new") }?.connections == 3)
        await broker.ask { await $0.channelRemoved(.make("new")) }
        for shard in 0..<3 {
            #expect(broker.connect(shard: shard).handshake(channel: "new")?.code == "unknown_channel")
        }
        #expect(await broker.ask { await $0.rooms(in: .make("new"), RoomQuery()) }.rooms.isEmpty)
        var kinds: [BrokerEvent.Kind] = []
        for await event in watch {
            kinds.append(event.kind)
            if event.kind == .channelRemoved(.make("new")) { break }
        }
        #expect(kinds.first == .channelChanged(.make("new")))
        #expect(kinds.count == 8, "three came and went")
    }

    // MARK: The directory

    @Test func `the directory is what the rooms are, whatever happens`() async {
        let broker = TestBroker(shards: 3)
        var random = SeededRandom(seed: 7)
        var clients: [TestConnection] = []
        for _ in 0..<400 {
            switch random.below(4) {
            case 0: clients.append(Self.member(broker, [], shard: random.below(3)).client)
            case 1, 2: clients.randomElement(using: &random)?.subscribe("room-\(random.below(40))")
            default:
                if let client = clients.randomElement(using: &random) {
                    if random.chance(20) { client.drop() } else { client.unsubscribe("room-\(random.below(40))") }
                }
            }
            clients.removeAll { $0.isGone }
            if random.chance(90) { continue }
            let page = await broker.ask { await $0.rooms(in: .make(), RoomQuery()) }
            var truth: [String: Int] = [:]
            for shard in broker.shards {
                for owned in shard.onLoop.owner.rooms.all where owned.order.view.members > 0 {
                    truth[owned.key.room.text] = owned.order.view.members
                }
            }
            #expect(Dictionary(uniqueKeysWithValues: page.rooms.map { ($0.name, $0.members) }) == truth)
            #expect(page.total == truth.count)
            #expect(broker.channel()?.usage.rooms == truth.count)
        }
        broker.removeChannel("test")
        await broker.ask { await $0.channelRemoved(.make()) }
        #expect(await broker.ask { await $0.rooms(in: .make(), RoomQuery()) }.total == 0)
    }
}
