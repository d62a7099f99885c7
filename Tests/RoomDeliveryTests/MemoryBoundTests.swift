import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery

/// What floods make the broker keep, by owner: within the bound that the configuration names, and no more than before when
/// the clients have gone and their grace periods are over.
struct MemoryBoundTests {
    /// What clients do to make the broker keep much.
    enum Flood: CaseIterable {
        case largeMessages, keys, lingeringSessions, unreadAnswers, rooms, messagesThatWait

        var names: [String] { (0..<30).map { "observable-\($0)" } }

        func begin(_ client: TestConnection, _ number: Int) {
            client.isDumped = false
            let data = "{\"name\":\"\(String(repeating: "x", count: 1_500))\"}"
            client.handshake(data: data, #","resumable":\#(self == .lingeringSessions)"#)
            let names = self == .rooms ? (0..<20).map { "room-\(number)-\($0)" } : Array(self.names.prefix(20))
            client.request(#""type":"subscribe","rooms":[\#(names.map { "\"\($0)\"" }.joined(separator: ","))]"#)
            if self == .unreadAnswers { client.stopReading() }
        }

        func lines(_ round: Int) -> [String] {
            switch self {
            case .largeMessages, .messagesThatWait:
                self.names.map {
                    #"{"type":"publish","room":"\#($0)","message":"\#(String(repeating: "x", count: 6_000))"}"#
                }
            case .keys:
                (0..<300).map { number in
                    let id = UniqueID.make(UInt64(round * 1_000 + number))
                    return
                        #"{"type":"publish","room":"keys-\#(number % 7)","message":1,"message_id":"\#(id)"}"#
                }
            case .lingeringSessions: []
            case .unreadAnswers:
                (0..<40).map { #"{"type":"members","room":"\#(self.names[0])","callback":\#($0)}"# }
                    + (0..<40).map { #"{"type":"rooms","callback":\#($0)}"# }
            case .rooms:
                (0..<50).map { #"{"type":"publish","room":"new-\#(round)-\#($0)","message":1}"# }
            }
        }
    }

    /// So small that the floods meet them.
    private static var limits: BrokerLimits {
        var limits = BrokerLimits()
        limits.roomsPerConnection = 30
        limits.roomsPerChannel = 150
        limits.dormantRooms = 60
        limits.lingeringRooms = 400
        limits.windowPerRoom = 64 << 10
        limits.windowTotal = 256 << 10
        limits.publishKeysTotal = 40 << 10
        limits.backlogTotal = 300 << 10
        limits.unreadReplies = 16 << 10
        limits.unreadTotal = 150 << 10
        return limits
    }

    /// The owners that a flood has reached the bound of, or nearly.
    private static func reached(by flood: Flood) -> [MemoryOwner] {
        switch flood {
        case .largeMessages: [.windows]
        case .keys: [.publishKeys]
        case .lingeringSessions: [.lingering]
        case .unreadAnswers: [.unreadReplies]
        case .rooms: [.rooms, .emptyRooms]
        case .messagesThatWait: [.unstored]
        }
    }

    /// What an owner may have on top for a moment: what is being written, delivered or taken in.
    private static func allowance(_ owner: MemoryOwner) -> Int {
        switch owner {
        // the newest chunk of a room always stays
        case .windows: 320 << 10
        // the rooms that are named while they are new
        case .emptyRooms: MemoryBound.emptyRoom
        default: 0
        }
    }

    private static func expectWithinBound(_ broker: TestBroker, _ connections: Int) -> [MemoryOwner: Int] {
        let use = broker.memoryUse
        let counts = MemoryBound.Counts(connections: connections)
        for (owner, bytes) in use {
            let bound = MemoryBound(Self.limits).total(of: owner, counts) + Self.allowance(owner)
            #expect(bytes <= bound, "\(owner.rawValue): \(bytes) of \(bound)")
        }
        return use
    }

    /// The attackers go, and time passes until nothing of them has to be kept.
    private static func settle(_ broker: TestBroker, _ attackers: [TestConnection]) {
        broker.engine.release()
        for attacker in attackers where !attacker.isGone { attacker.drop() }
        broker.run()
        for _ in 0..<14 { broker.advance(by: .minutes(1)) }
    }

    private static func expectAsBefore(_ broker: TestBroker, _ before: [MemoryOwner: Int]) {
        for (owner, bytes) in broker.memoryUse where owner != .pages {
            #expect(bytes <= before[owner, default: 0], "\(owner.rawValue): \(bytes), was \(before[owner, default: 0])")
        }
    }

    @Test(arguments: Flood.allCases)
    func `what a flood makes the broker keep is bounded, and goes with it`(flood: Flood) {
        let broker = TestBroker(limits: Self.limits)
        let member = broker.connect()
        member.handshake()
        member.subscribe("normal")
        let before = broker.memoryUse
        let attackers = (0..<30).map { _ in broker.connect() }
        var most: [MemoryOwner: Int] = [:]
        func look() {
            most.merge(Self.expectWithinBound(broker, attackers.count + 1)) { max($0, $1) }
        }
        for (number, attacker) in attackers.enumerated() { flood.begin(attacker, number) }
        if flood == .messagesThatWait { broker.engine.hold() }
        for round in 0..<4 {
            for attacker in attackers where flood != .lingeringSessions {
                attacker.sendBytes(flood.lines(round).joined(separator: "\n") + "\n")
                broker.deliverInput()
                broker.run()
                look()
            }
        }
        if flood == .lingeringSessions {
            for attacker in attackers {
                attacker.drop()
                look()
            }
        }
        for owner in Self.reached(by: flood) {
            let bound = MemoryBound(Self.limits).total(of: owner, .init(connections: attackers.count + 1))
            #expect(most[owner, default: 0] > bound / 2, "\(owner.rawValue): \(most[owner, default: 0]) of \(bound)")
        }
        Self.settle(broker, attackers)
        Self.expectAsBefore(broker, before)
    }

    @Test(arguments: FairnessTests.Flood.allCases)
    func `what a flood of work makes the broker keep is bounded, and goes with it`(flood: FairnessTests.Flood) {
        let broker = TestBroker(limits: Self.limits)
        let member = broker.connect()
        member.handshake()
        member.subscribe("normal")
        let before = broker.memoryUse
        let attackers = (0..<3).map { _ in broker.connect() }
        for attacker in attackers { flood.begin(attacker) }
        for attacker in attackers { attacker.sendBytes(flood.bytes) }
        broker.deliverInput()
        broker.run()
        _ = Self.expectWithinBound(broker, attackers.count + 1)
        Self.settle(broker, attackers)
        Self.expectAsBefore(broker, before)
    }
}

extension TestBroker {
    /// Of all shards.
    fileprivate var memoryUse: [MemoryOwner: Int] {
        self.run()
        return self.shards.reduce(into: [:]) { $0.merge($1.onLoop.memoryUse) { $0 + $1 } }
    }
}
