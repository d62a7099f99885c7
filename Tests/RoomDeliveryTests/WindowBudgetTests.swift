import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

struct WindowBudgetTests {
    @Test func `the memory of all rooms together is bounded, the oldest chunk goes first`() {
        var limits = BrokerLimits()
        limits.windowTotal = 40_000
        let broker = TestBroker(limits: limits)
        let rooms = (0..<8).map { "room-\($0)" }
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        for room in rooms { ann.subscribe(room) }

        for round in 0..<5 {
            for room in rooms { ann.publish(room, "\"\(round)\(String(repeating: "x", count: 3_000))\"") }
            #expect(broker.windowBytes < 40_000 + 8_000)
        }
        #expect(ann.receive().count == 40)
    }

    @Test(arguments: [4_000, 100_000])
    func `a window that is made to fit WebSocket stays bounded`(perRoom: Int) {
        var limits = BrokerLimits()
        limits.windowPerRoom = perRoom
        limits.windowTotal = 20_000
        let broker = TestBroker(limits: limits)
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        var epochs: [String] = []
        for room in 0..<8 {
            epochs.append(ann.subscribe("room-\(room)")?.text("epoch") ?? "")
            for number in 0..<4 { ann.publish("room-\(room)", "\"\(number)\(String(repeating: "x", count: 1_000))\"") }
        }
        let before = broker.windowBytes
        let bob = broker.connectWebSocket()
        bob.handshake(channel: "plain")
        for room in 0..<8 {
            bob.subscribe("room-\(room)", #","overflow":"drop_oldest","since":{"epoch":"\#(epochs[room])","seq":1}"#)
            #expect(broker.windowBytes < 20_000 + 8_000)
        }
        #expect(before > 15_000)
        let last = bob.receive().filter { $0.type == "publish" }.map { "\($0.room ?? "") \($0.seq ?? 0)" }
        #expect(Set(last).count == last.count)
    }

    @Test func `one large chunk does not leave the others uncounted`() {
        var limits = BrokerLimits()
        limits.windowTotal = 10_000
        let broker = TestBroker(limits: limits)
        let ann = broker.connect()
        ann.handshake(channel: "plain")
        for index in 0..<20 {
            ann.subscribe("room-\(index)")
            ann.publish("room-\(index)", "\"\(String(repeating: "x", count: 12_000))\"")
        }
        #expect(broker.windowBytes < 40_000)
    }
}

extension TestBroker {
    fileprivate var windowBytes: Int {
        self.run()
        return self.shards.reduce(0) { sum, shard in
            sum + shard.onLoop.owner.rooms.all.reduce(0) { $0 + $1.window.bytes }
        }
    }
}
