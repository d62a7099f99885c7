import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What those cost the others who come, have much done, and vanish, again and again. Counted in looks at the sockets: between two
/// of them a bounded amount of work is done.
struct ComingAgainTests {
    private static let rooms = 300

    private let broker: TestBroker

    init() {
        self.broker = TestBroker(
            channels: TestBroker.channels + [.make("locked", history: nil, authentication: .optional)],
            waitsForSockets: true
        )
    }

    private func connect(_ count: Int, _ lines: [String], from address: String = "127.0.0.1") -> [TestConnection] {
        (0..<count).map { _ in
            let client = self.broker.connect(from: address)
            client.isDumped = false
            client.sendBytes(lines.map { $0 + "\n" }.joined())
            return client
        }
    }

    private func looks(until isSo: () -> Bool) -> Int {
        var looks = 0
        while !isSo(), looks < 500 {
            self.broker.lookAtSockets()
            looks += 1
        }
        return looks
    }

    /// One who asks for many rooms, that nobody is in yet.
    private static func asker(_ number: Int, handshake: String) -> [String] {
        let rooms = (0..<Self.rooms).map { "\"gone-\(number)-\($0)\"" }.joined(separator: ",")
        return [handshake, #"{"type":"subscribe","rooms":[\#(rooms)]}"#]
    }

    /// Has somebody come and go at each look, and gives how many looks a message takes beside that.
    private func waits(from address: (Int) -> String, handshake: String) -> [Int] {
        let talkers = self.connect(
            2,
            [#"{"type":"handshake","channel":"plain"}"#, #"{"type":"subscribe","room":"normal"}"#],
            from: "192.0.2.1"
        )
        for _ in 0..<20 { self.broker.lookAtSockets() }
        _ = talkers[1].receive()
        var (gone, attackers): (Int, [TestConnection]) = (0, [])
        var waits: [Int] = []
        for _ in 0..<8 {
            for _ in 0..<20 {
                for attacker in attackers { attacker.drop() }
                attackers = (0..<8).flatMap { _ in
                    gone += 1
                    return self.connect(1, Self.asker(gone, handshake: handshake), from: address(gone))
                }
                self.broker.lookAtSockets()
            }
            talkers[0].sendBytes(#"{"type":"publish","room":"normal","message":1,"ephemeral":true}"# + "\n")
            waits.append(self.looks { !talkers[1].receive().isEmpty })
        }
        return waits
    }

    @Test(arguments: ["127.0.0.1", "203.0.113.9", "2001:db8::9"])
    func `a message does not wait behind the rooms of those who come and vanish`(address: String) {
        let waits = self.waits(from: { _ in address }, handshake: #"{"type":"handshake","channel":"plain"}"#)
        // those who have come first have credit at once
        #expect(waits.dropFirst(2).allSatisfy { $0 <= 8 }, "\(waits) looks")
    }

    @Test func `a member has no more credit for coming from many addresses`() {
        let token = TestToken.make(channel: "locked", data: #"{"id":"eve"}"#)
        let handshake = #"{"type":"handshake","channel":"locked","token":"\#(token)"}"#
        let waits = self.waits(from: { "198.51.\($0 / 250).\($0 % 250)" }, handshake: handshake)
        #expect(waits.dropFirst(2).allSatisfy { $0 <= 8 }, "\(waits) looks")
    }

    @Test func `thousands who come at once by way of one proxy, and stay, all get in`() {
        let subscribe = #"{"type":"subscribe","room":"crowd","callback":2}"#
        let crowd = self.connect(2_000, [#"{"type":"handshake","channel":"plain"}"#, subscribe])
        var missing = Set(crowd.indices)
        _ = self.looks {
            missing = missing.filter { !crowd[$0].receive().contains { $0.callback == 2 } }
            return missing.isEmpty
        }
        #expect(missing.isEmpty)
    }
}
