import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomDelivery

/// What clients make the broker hold in rooms, where one bound is for all of it.
struct SharedMemoryFloodTests {
    /// For 400 places.
    private static let total = 400 * MemoryBound.subscription

    private static func broker() -> TestBroker {
        var limits = BrokerLimits()
        limits.memoryTotal = Self.total
        limits.windowPerRoom = 16 << 10
        return TestBroker(limits: limits)
    }

    private static func subscribe(_ client: TestConnection, _ names: [String]) -> [String?] {
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let rooms = client.request(#""type":"subscribe","rooms":[\#(list)]"#)?.list("rooms") ?? []
        return rooms.map { $0.text("code") }
    }

    private static func memory(_ broker: TestBroker) -> SharedMemory {
        broker.run()
        return broker.shards[0].onLoop.context.memory
    }

    @Test func `who takes many rooms is refused, and who takes few gets in`() {
        let broker = Self.broker()
        let attacker = broker.connect()
        attacker.handshake()
        var codes: [String?] = []
        for number in 0..<4 { codes += Self.subscribe(attacker, (0..<100).map { "room-\(number)-\($0)" }) }
        // with its first member a room takes four times as much as a place
        #expect(codes.count { $0 == nil } == 50)
        #expect(Set(codes.compactMap(\.self)) == ["too_many_rooms"])
        #expect(Self.memory(broker).held <= Self.total / 2)
        let normal = broker.connect()
        normal.handshake()
        #expect(normal.subscribe("room-0-0")?.code == nil)
        attacker.drop()
        #expect(Self.memory(broker).places == 1)
        #expect(Self.memory(broker).rooms == 1)
        let next = broker.connect()
        next.handshake()
        #expect(Self.subscribe(next, (0..<30).map { "next-\($0)" }).allSatisfy { $0 == nil })
    }

    @Test func `what is remembered gives way to members, and all of it stays within the bound`() {
        let broker = Self.broker()
        let speaker = broker.connect()
        speaker.handshake(channel: "plain")
        let rooms = (0..<20).map { "room-\($0)" }
        _ = Self.subscribe(speaker, rooms)
        let text = String(repeating: "x", count: 2_000)
        for round in 0..<8 {
            for room in rooms { speaker.say(room, "\"\(round)\(text)\"") }
            broker.run()
        }
        let before = Self.memory(broker).kept.windows
        #expect(before > Self.total / 2)
        for number in 0..<12 {
            let member = broker.connect()
            member.handshake(channel: "plain")
            #expect(Self.subscribe(member, Array(rooms.prefix(15))).allSatisfy { $0 == nil })
            let memory = Self.memory(broker)
            #expect(memory.held + memory.kept.total <= Self.total + 8_192, "with \(number + 1) members")
        }
        #expect(Self.memory(broker).kept.windows < before)
        #expect(broker.shards[0].onLoop.owner.windowBytes == Self.memory(broker).kept.windows)
    }

    @Test func `sessions in their grace period end where members need what they take`() {
        let broker = Self.broker()
        let sleepers = (0..<20).map { _ in broker.connect() }
        for (number, sleeper) in sleepers.enumerated() {
            sleeper.handshake(channel: "plain", #","resumable":true"#)
            _ = Self.subscribe(sleeper, (0..<10).map { "room-\($0)" })
            if number > 0 { sleeper.drop() }
        }
        let before = Self.memory(broker).kept.lingering
        #expect(before == 19 * 11 * MemoryBound.entry)
        let members = (0..<14).map { _ in broker.connect() }
        for member in members {
            member.handshake(channel: "plain")
            _ = Self.subscribe(member, (0..<16).map { "room-\($0)" })
        }
        let memory = Self.memory(broker)
        #expect(memory.kept.lingering < before)
        #expect(memory.held + memory.kept.total <= Self.total)
    }

    // MARK: Input

    @Test func `of unfinished lines only so much is held, and the longest has to go`() {
        var limits = BrokerLimits()
        limits.inputTotal = 100_000
        limits.frame.line = 50_500
        let broker = TestBroker(limits: limits)
        let clients = [broker.connect(), broker.connect(), broker.connectWebSocket()]
        for client in clients { client.handshake() }
        clients[0].sendBytes("{\"type\":\"ping\"" + String(repeating: " ", count: 50_000))
        var part = clients[2].webSocket?.frame(.text) { $0.writeString(String(repeating: " ", count: 30_000)) }
        part?.setInteger(UInt8(0x01), at: 0)
        if let part { clients[2].sendBytes(part) }
        broker.run()
        #expect(clients.allSatisfy { !$0.isClosed })
        clients[1].sendBytes("{\"type\":\"ping\"" + String(repeating: " ", count: 40_000))
        broker.run()
        #expect(clients.map(\.isClosed) == [true, false, false])
        #expect(clients[0].receive().map(\.code) == ["line_too_long"])
        #expect(broker.shards[0].onLoop.connections.input.total <= 101_000)
        clients[1].sendBytes("}\n")
        #expect(clients[1].summaries() == ["pong"])
        clients[1].drop()
        clients[2].drop()
        #expect(broker.shards[0].onLoop.connections.input.total == 0)
    }

    @Test func `whole lines that wait for their turn cost nobody the connection`() {
        var limits = BrokerLimits()
        limits.inputTotal = 100_000
        let broker = TestBroker(limits: limits, waitsForSockets: true)
        let clients = (0..<20).map { _ in broker.connect() }
        for client in clients {
            client.isDumped = false
            client.sendBytes(#"{"type":"handshake","channel":"plain","callback":0}"# + "\n")
        }
        for _ in 0..<20 { broker.lookAtSockets() }
        for client in clients { client.sendBytes(String(repeating: "{\"type\":\"ping\"}\n", count: 4_000)) }
        for _ in 0..<5 { broker.lookAtSockets() }
        #expect(clients.allSatisfy { !$0.isClosed })
        for _ in 0..<2_000 { broker.lookAtSockets() }
        for client in clients { #expect(client.receive().count { $0.type == "pong" } == 4_000) }
    }
}
