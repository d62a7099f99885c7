import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Sockets that take a few bytes at a time, in the formats whose frames have more than a newline around them.
struct SmallSocketTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>, [WireFormat.webSocket, .events])
    func `whatever a socket takes at a time, frames and events come whole`(seed: UInt64, format: WireFormat) {
        let broker = TestBroker(shards: 2)
        let isDirect = seed % 5 != 0
        let new =
            format == .events
            ? broker.connectEvents(shard: 1, direct: isDirect) : broker.connectWebSocket(shard: 1, direct: isDirect)
        let ann = new.joined("observable-lobby")
        ann.socket.takeRandomly(seed: seed)
        let bob = broker.connect().joined("observable-lobby")
        _ = (ann.receive(), bob.receive())
        for number in 0..<30 {
            // heads of all three sizes, and replies between messages
            let text = String(repeating: "x", count: [3, 200, 40_000][number % 3])
            bob.say("observable-lobby", "\"\(text)\"")
            _ = ann.post("\"type\":\"members\",\"room\":\"observable-lobby\"")
            if number % 7 == 0 { _ = ann.post("\"type\":\"history\",\"room\":\"observable-lobby\",\"limit\":50") }
            if number % 4 == 0 { broker.run() }
        }
        ann.readOn()
        let received = ann.receive()
        #expect(received.filter { $0.type == "publish" }.map(\.line) == bob.receive().map(\.line))
        #expect(received.count { $0.type == nil } == 35)
        #expect(ann.webSocket?.takeEvents() ?? [] == [])
        #expect(!ann.socket.hasOvertaken)
    }
}
