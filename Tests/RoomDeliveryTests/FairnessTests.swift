import NIOCore
import RoomCore
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What other clients' floods cost a client that sends little, in units of work.
struct FairnessTests {
    /// What a flooding client sends again and again.
    enum Flood: CaseIterable {
        case pings, textLines, publishes, storedPublishes, newRooms, subscribes, historyJoins, historyQueries
        case memberQueries, roomQueries, updates, nestedJSON

        static let rooms = (0..<10).map { "\"observable-\($0)\"" }.joined(separator: ",")

        var lines: String {
            switch self {
            case .pings: #"{"type":"ping"}"#
            case .textLines: "msg:hello"
            case .publishes: #"{"type":"publish","room":"busy","message":"hello","ephemeral":true}"#
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
            if self == .textLines { return client.sendBytes("iam:flood\n") }
            client.handshake()
            client.subscribe("busy")
            if self == .updates || self == .roomQueries {
                client.request(#""type":"subscribe","rooms":[\#(Self.rooms)]"#)
            }
        }
    }

    /// What all clients but some have cost so far.
    private static func work(of broker: TestBroker) -> Int {
        broker.shards.reduce(0) { $0 + $1.onLoop.connections.all.reduce(0) { $0 + $1.share.spent } }
    }

    @Test(arguments: Flood.allCases)
    func `a message of a normal member waits behind a few turns of the floods only`(flood: Flood) {
        let broker = TestBroker()
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
        listener.onBytes { if delivered == nil { delivered = Self.work(of: broker) } }
        speaker.send(#"{"type":"publish","room":"normal","message":"in between","ephemeral":true}"#)
        let sent = Self.work(of: broker)
        broker.deliverInput()
        broker.run()
        #expect(listener.receive().count == 1)
        #expect(delivered.map { $0 - sent <= 8_000 } ?? false, "behind \((delivered ?? 0) - sent) units")
        #expect(Self.work(of: broker) - sent > 0)
    }
}
