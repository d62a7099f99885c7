import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What other clients' floods cost a client that sends little, in units of work.
struct FairnessTests {
    /// What a flooding client sends again and again.
    enum Flood: CaseIterable {
        case pings, textLines, badTextLines, publishes, publishesIntoTwo, storedPublishes, newRooms, subscribes
        case historyJoins, historyQueries
        case memberQueries, roomQueries, updates, nestedJSON
        case badTokens, badJSON, unfinishedJSON, renewedSubscribes, manyRooms

        static let rooms = (0..<10).map { "\"observable-\($0)\"" }.joined(separator: ",")

        private static let many = (0..<500).map { "\"observable-many-\($0)\"" }.joined(separator: ",")
        /// Of another channel's secret, so that its signature is looked at.
        private static let badToken = TestToken.make(
            channel: "locked",
            secret: ChannelSecret(text: String(repeating: "A", count: 43))
        )

        var lines: String {
            switch self {
            case .pings: #"{"type":"ping"}"#
            case .textLines: "msg:hello"
            case .badTextLines: "msg"
            case .publishes: #"{"type":"publish","room":"busy","message":"hello","ephemeral":true}"#
            case .publishesIntoTwo:
                #"{"type":"publish","room":"busy","message":"hello","ephemeral":true}"# + "\n"
                    + #"{"type":"publish","room":"observable-0","message":"hello","ephemeral":true}"#
            case .storedPublishes: #"{"type":"publish","room":"busy","message":"hello"}"#
            case .newRooms:
                (0..<50).map { #"{"type":"publish","room":"new-\#($0)","message":1}"# }.joined(separator: "\n")
            case .subscribes:
                #"{"type":"subscribe","rooms":[\#(Self.rooms)]}"# + "\n"
                    + #"{"type":"unsubscribe","rooms":[\#(Self.rooms)]}"#
            case .historyJoins:
                #"{"type":"subscribe","room":"past","history_count":100}"# + "\n"
                    + #"{"type":"unsubscribe","room":"past"}"#
            case .historyQueries: #"{"type":"history","room":"past","callback":1}"#
            case .memberQueries: #"{"type":"members","room":"busy","callback":1}"#
            case .roomQueries: #"{"type":"rooms","callback":1}"#
            case .updates: #"{"type":"update","client_data":{"name":"another"}}"#
            case .badTokens: #"{"type":"handshake","channel":"locked","token":"\#(Self.badToken)"}"#
            case .badJSON: #"{"type":"publish","room":busy}"#
            case .unfinishedJSON:
                #"{"type":"publish","room":"busy","message":""# + String(repeating: "\\u00e4", count: 500)
            case .renewedSubscribes: #"{"type":"subscribe","room":"past","history_count":100}"#
            case .manyRooms:
                #"{"type":"subscribe","rooms":[\#(Self.many)]}"# + "\n"
                    + #"{"type":"unsubscribe","rooms":[\#(Self.many)]}"#
            case .nestedJSON:
                #"{"type":"publish","room":"busy","ephemeral":true,"message":[\#(String(repeating: "[[[[]]]],", count: 1_000))0]}"#
            }
        }

        /// More than one turn's work.
        var bytes: ByteBuffer {
            let lines = self.lines + "\n"
            return ByteBuffer(string: String(repeating: lines, count: max(8, 16_384 / lines.utf8.count)))
        }

        func begin(_ client: TestConnection) {
            client.isDumped = false
            if self == .textLines || self == .badTextLines { return client.sendBytes("iam:flood\n") }
            if self == .badTokens { return }
            client.handshake()
            client.subscribe("busy")
            if [.updates, .roomQueries, .publishesIntoTwo].contains(self) {
                client.request(#""type":"subscribe","rooms":[\#(Self.rooms)]"#)
            }
        }
    }

    /// What all clients but some have cost so far.
    private static func work(of broker: TestBroker) -> Int {
        broker.shards.reduce(0) { $0 + $1.onLoop.connections.all.reduce(0) { $0 + $1.share.spent } }
    }

    /// What the broker has done for all clients, as their sockets show it.
    private static func writes(of clients: [TestConnection]) -> Int {
        clients.reduce(0) { $0 + $1.socket.writes }
    }

    @Test(arguments: [["a"], ["a", "b"], ["a", "b", "c"]])
    func `who publishes pays for what its messages cause, in whatever rooms`(rooms: [String]) {
        let broker = TestBroker()
        let members = (0..<100).map { _ in broker.connect() }
        for member in members {
            member.handshake()
            for room in rooms { member.subscribe(room) }
        }
        let ann = broker.connect()
        ann.handshake()
        let table = broker.shards[0].onLoop.connections
        let connection = table[table.numbers[table.count - 1]]
        let before = (Self.writes(of: members), connection?.share.spent ?? 0)
        let lines = rooms.map { #"{"type":"publish","room":"\#($0)","message":1,"ephemeral":true}"# + "\n" }
        for _ in 0..<10 { ann.sendBytes(lines.joined()) }
        ann.request(#""type":"ping""#)
        let (writes, spent) = (Self.writes(of: members) - before.0, (connection?.share.spent ?? 0) - before.1)
        #expect(writes >= rooms.count * members.count)
        #expect(spent >= writes * Work.write(bytes: 0), "\(spent) units for \(writes) writes")
        // and not for each message in the turn
        #expect(spent <= 2 * writes * Work.write(bytes: 0), "\(spent) units for \(writes) writes")
    }

    @Test func `what comes in the middle of a large room's fan-out reaches everybody`() {
        let broker = TestBroker(waitsForSockets: true)
        let members = (0..<400).map { _ in broker.connect() }
        for member in members {
            member.isDumped = false
            member.sendBytes(#"{"type":"handshake","channel":"test","callback":0}"# + "\n")
            member.sendBytes(#"{"type":"subscribe","room":"large","callback":1}"# + "\n")
        }
        for _ in 0..<200 { broker.lookAtSockets() }
        for member in members { _ = member.receive() }
        // each by another member: who has published waits until it has paid
        for number in 1...3 {
            members[number].sendBytes(
                #"{"type":"publish","room":"large","message":\#(number),"ephemeral":true}"# + "\n"
            )
            broker.lookAtSockets()
        }
        for _ in 0..<200 { broker.lookAtSockets() }
        let received = Set(members.map { $0.receive().count })
        #expect(received == [3])
    }

    @Test func `a flood goes on only when the loop has looked at its sockets`() {
        let (broker, count) = (TestBroker(waitsForSockets: true), 6_000)
        let ann = broker.connect()
        ann.isDumped = false
        ann.handshake()
        broker.lookAtSockets()
        ann.sendBytes(String(repeating: "{\"type\":\"ping\"}\n", count: count))
        broker.advance(by: .milliseconds(10))
        var answered = ann.receive().count
        for _ in 0..<3 {
            broker.advance(by: .milliseconds(10))
            #expect(ann.receive().count == 0, "time alone changes nothing")
            broker.lookAtSockets()
            let more = ann.receive().count
            // a ping and its answer are two units
            #expect((1...600).contains(more))
            answered += more
        }
        for _ in 0..<80 { broker.lookAtSockets() }
        #expect(answered + ann.receive().count == count)
    }

    @Test(arguments: Flood.allCases)
    func `a message of a normal member waits behind a few turns of the floods only`(flood: Flood) {
        let broker = TestBroker(channels: TestBroker.channels + [.make("locked", authentication: .required)])
        let speaker = broker.connect()
        let listener = broker.connect()
        for member in [speaker, listener] {
            member.handshake()
            member.subscribe("normal")
        }
        for number in 0..<20 { speaker.publish("past", "\(number)") }
        let attackers = (0..<10).map { _ in broker.connect() }
        for attacker in attackers { flood.begin(attacker) }
        broker.run()
        _ = listener.receive()
        for attacker in attackers { attacker.sendBytes(flood.bytes) }
        broker.deliverInput()

        var delivered: Int?
        let everybody = attackers + [speaker]
        let writesBefore = Self.writes(of: everybody)
        var writes = 0
        listener.onBytes {
            guard delivered == nil else { return }
            delivered = Self.work(of: broker)
            writes = Self.writes(of: everybody) - writesBefore
        }
        speaker.send(#"{"type":"publish","room":"normal","message":"in between","ephemeral":true}"#)
        let sent = Self.work(of: broker)
        broker.deliverInput()
        broker.run()
        #expect(listener.receive().count == 1)
        #expect(delivered.map { $0 - sent <= 8_000 } ?? false, "behind \((delivered ?? 0) - sent) units")
        #expect(Self.work(of: broker) - sent > 0)
        // counted where it is done, so that work that is not charged is seen, too
        #expect(writes <= 600, "behind \(writes) writes")
    }
}
