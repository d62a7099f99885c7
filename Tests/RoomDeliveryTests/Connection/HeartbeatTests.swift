import NIOCore
import RoomTestKit
import Testing

@testable import RoomDelivery

/// When a silent client is gone, and when it only reads slowly.
struct HeartbeatTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func heartbeat(_ kind: Heartbeat.Kind = .ofSilence) -> Heartbeat {
        Heartbeat(interval: .seconds(30), lastHeard: Self.start, kind: kind)
    }

    @Test func `a client that was silent for two intervals is gone`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.step(at: Self.start + .seconds(10)) == .look(.seconds(20)))
        #expect(heartbeat.step(at: Self.start + .seconds(30)) == .ping(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(60)) == .end)
    }

    @Test func `what a full socket takes is as good as a word from the client`() {
        var heartbeat = Self.heartbeat()
        #expect(heartbeat.step(at: Self.start + .seconds(30), isBlocked: true) == .look(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(60), isBlocked: true) == .look(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(90), progress: 1) == .look(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(120), progress: 1) == .ping(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(150), progress: 1) == .end)
    }

    @Test func `a client that takes nothing at all is gone after ten intervals`() {
        var heartbeat = Self.heartbeat()
        for count in 1..<10 {
            #expect(heartbeat.step(at: Self.start + .seconds(30) * count, isBlocked: true) == .look(.seconds(30)))
        }
        #expect(heartbeat.step(at: Self.start + .seconds(300), isBlocked: true) == .end)
    }

    @Test func `who has asked for pings is gone after two intervals, whatever its socket takes`() {
        var heartbeat = Self.heartbeat(.asked)
        #expect(heartbeat.step(at: Self.start + .seconds(30), isBlocked: true, progress: 1) == .ping(.seconds(30)))
        #expect(heartbeat.step(at: Self.start + .seconds(60), isBlocked: true, progress: 2) == .end)
    }

    @Test func `a stream that nobody answers ends only where nobody reads`() {
        var heartbeat = Self.heartbeat(.unanswered)
        for count in 1...5 { #expect(heartbeat.step(at: Self.start + .seconds(30) * count) == .ping(.seconds(30))) }
        for count in 6..<15 {
            #expect(heartbeat.step(at: Self.start + .seconds(30) * count, isBlocked: true) == .look(.seconds(30)))
        }
        #expect(heartbeat.step(at: Self.start + .seconds(450), isBlocked: true) == .end)
    }

    @Test func `a WebSocket client that reads slowly stays, and one that does not read goes in the end`() {
        let broker = TestBroker()
        let speaker = broker.connect().joined("room", channel: "plain")
        let ann = broker.connectWebSocket().joined("room", channel: "plain")
        let bob = broker.connectWebSocket().joined("room", channel: "plain")
        ann.stopReading()
        bob.stopReading()
        let text = String(repeating: "x", count: 5_000)
        for number in 0..<8 { speaker.say("room", "\"\(number)\(text)\"") }
        broker.run()
        for _ in 0..<9 {
            broker.advance(by: .seconds(50))
            ann.read(bytes: 2_000)
        }
        ann.readOn()
        #expect(ann.receive().map(\.type) == Array(repeating: "publish", count: 8))
        #expect(!ann.isClosed)
        #expect(bob.isGone)
    }
}
