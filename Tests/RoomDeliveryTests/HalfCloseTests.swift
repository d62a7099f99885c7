import RoomTestKit
import Testing

/// A client that has sent all it will, and reads on.
struct HalfCloseTests {
    private let broker = TestBroker()

    /// A member of the room that has not read the last 50 messages of it; others go on speaking there.
    private func laggard(_ handshake: (TestConnection) -> Void) -> (TestConnection, speaker: TestConnection) {
        let speaker = self.broker.connect()
        speaker.handshake()
        let member = self.broker.connect()
        handshake(member)
        member.subscribe("lobby")
        // it keeps the room's replica in use when the other one has left
        _ = self.broker.connect().joined("lobby")
        _ = member.receive()
        member.stopReading(after: 700)
        for number in 0..<50 { speaker.say("lobby", "\(number)") }
        self.broker.run()
        return (member, speaker)
    }

    @Test(arguments: [false, true])
    func `it gets all that came before its end, however slowly it reads, and nothing after it`(isResumable: Bool) {
        let (member, speaker) = self.laggard { member in
            member.request(#""type":"handshake","channel":"test","resumable":\#(isResumable)"#)
        }
        member.halfClose()
        for number in 50..<60 { speaker.say("lobby", "\(number)") }
        for _ in 0..<1_000 where !member.isClosed { member.read(bytes: 100) }
        #expect(member.receive().compactMap { $0.number("message") } == Array(0..<50))
        #expect(member.isClosed)
    }

    @Test func `it is let go where the log is opened again while it leaves`() {
        let (member, speaker) = self.laggard { $0.handshake() }
        self.broker.engine.failNext(.append, .unavailableButDone)
        speaker.say("lobby", "50")
        self.broker.run()
        member.halfClose()
        member.readOn()
        #expect(member.isClosed)
    }

    @Test func `it is let go where it asks for its place when the room is about to take it out`() {
        let (member, speaker) = self.laggard { $0.handshake() }
        self.broker.engine.failNext(.append, .unavailableButDone)
        speaker.say("lobby", "50")
        self.broker.run()
        self.broker.engine.hold()
        // more than the room takes in one turn, so that it leaves in the next one
        let text = "\"\(String(repeating: "x", count: 60_000))\""
        for _ in 0..<20 { speaker.say("lobby", text, #","ephemeral":true"#) }
        self.broker.run()
        member.halfClose()
        self.broker.engine.release()
        self.broker.run()
        member.readOn()
        #expect(member.isClosed)
    }

    @Test func `it is let go where its messages have left the window`() {
        let (member, speaker) = self.laggard { $0.handshake() }
        member.halfClose()
        let text = "\"\(String(repeating: "x", count: 60_000))\""
        for _ in 0..<200 { speaker.say("lobby", text) }
        member.readOn()
        #expect(member.isClosed)
    }
}
