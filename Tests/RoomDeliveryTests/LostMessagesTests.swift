import RoomCore
import RoomModel
import RoomTestKit
import Testing

/// Messages that the store finds damaged are a gap with the reason `lost`, where and only where they would have been.
struct LostMessagesTests {
    /// A room with messages 1 to 10, of which only the newest are in memory.
    private static func room(damaged seqs: ClosedRange<UInt64>) -> (TestBroker, epoch: String) {
        var limits = BrokerLimits()
        limits.windowPerRoom = 1
        let broker = TestBroker(limits: limits)
        let ann = broker.connect()
        ann.handshake()
        let epoch = ann.subscribe("room")?.text("epoch") ?? ""
        for number in 1...10 { ann.publish("room", "\(number)") }
        broker.engine.damage(.make("room"), seqs)
        return (broker, epoch)
    }

    private static func client(_ broker: TestBroker) -> TestConnection {
        let client = broker.connect()
        client.handshake()
        return client
    }

    @Test(arguments: [1...1, 1...4, 4...6, 5...5, 3...9, 8...9] as [ClosedRange<UInt64>], [UInt64(0), 2, 4, 6])
    func `who comes back gets a gap in their place`(damaged: ClosedRange<UInt64>, seq: UInt64) {
        let (broker, epoch) = Self.room(damaged: damaged)
        let bob = Self.client(broker)
        bob.subscribe("room", ",\"since\":{\"epoch\":\"\(epoch)\",\"seq\":\(seq)}")
        let missed = damaged.clamped(to: seq...10)
        var expected: [String] = []
        for next in seq + 1...10 {
            if !damaged.contains(next) {
                expected.append("publish \(next)")
            } else if next == max(damaged.lowerBound, seq + 1) {
                expected.append("gap \(next)-\(missed.upperBound) lost")
            }
        }
        #expect(bob.summaries() == expected)
    }

    @Test func `a page of the history names them`() {
        let (broker, _) = Self.room(damaged: 4...6)
        let bob = Self.client(broker)
        let forward = bob.request(#""type":"history","room":"room","after_seq":3"#)
        #expect(forward?.line.contains(#""gap":{"from_seq":4,"to_seq":6,"reason":"lost"}"#) == true)
        let back = bob.request(#""type":"history","room":"room","before_seq":6"#)
        #expect(back?.line.contains(#""gap":{"from_seq":4,"to_seq":5,"reason":"lost"}"#) == true)
        let sound = bob.request(#""type":"history","room":"room","after_seq":6"#)
        #expect(sound?.line.contains("gap") == false)
    }
}
