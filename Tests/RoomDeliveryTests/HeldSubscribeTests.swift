import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What happens to a room between the answer to a subscribe and its beginning: when hundreds join at once, the lists of
/// members of most of them wait.
struct HeldSubscribeTests {
    private static let room = "observable-room"
    private static let padding = String(repeating: "x", count: 1_900)

    /// Who reads all the time, and what it was told.
    private final class Reader {
        let connection: TestConnection
        /// Without what the others do.
        private(set) var told: [ReceivedFrame] = []

        init(_ connection: TestConnection) {
            self.connection = connection
        }

        func read() {
            self.told += self.connection.receive().filter {
                $0.type != "observable_member_join" && $0.type != "handshake" && $0.callback != 0
            }
        }
    }

    /// A crowd whose subscribes are all answered, and one who was in the room before.
    private static func crowd(
        _ broker: TestBroker,
        channel: String,
        _ fields: String = ""
    ) -> (early: TestConnection, crowd: [Reader]) {
        let early = broker.connect()
        let crowd = (0..<120).map { _ in Reader(broker.connect()) }
        for member in crowd.map(\.connection) + [early] {
            member.isDumped = false
            let data = #"{"x":"\#(Self.padding)"}"#
            member.sendBytes(#"{"type":"handshake","channel":"\#(channel)","client_data":\#(data)}"# + "\n")
        }
        early.sendBytes(#"{"type":"subscribe","room":"\#(Self.room)","overflow":"drop_oldest","callback":1}"# + "\n")
        Self.say(1...3, by: early)
        for _ in 0..<20 { broker.lookAtSockets() }
        for member in crowd {
            member.connection.sendBytes(#"{"type":"subscribe","room":"\#(Self.room)"\#(fields),"callback":90}"# + "\n")
        }
        var looks = 0
        while Self.waiting(in: broker, channel: channel) < 30, looks < 50 {
            Self.look(broker, crowd)
            looks += 1
        }
        _ = early.receive()
        return (early, crowd)
    }

    private static func say(_ numbers: ClosedRange<Int>, by member: TestConnection, padding: String = "") {
        let lines = numbers.map { #"{"type":"publish","room":"\#(Self.room)","message":"\#($0)\#(padding)"}"# + "\n" }
        member.sendBytes(lines.joined())
    }

    private static func look(_ broker: TestBroker, _ crowd: [Reader]) {
        broker.lookAtSockets()
        for member in crowd { member.read() }
    }

    /// - Returns: what each of the crowd has been told then.
    private static func settle(_ broker: TestBroker, _ crowd: [Reader]) -> [[ReceivedFrame]] {
        for _ in 0..<300 { Self.look(broker, crowd) }
        return crowd.map(\.told)
    }

    /// Those that are answered and have no list of members.
    private static func held(in broker: TestBroker, channel: String) -> [Subscriber] {
        let replica = broker.shards[0].onLoop.local.replicas[.make(Self.room, channel: channel)]
        return (replica?.subscribers ?? []).filter { subscriber in
            if case .held = subscriber.state { subscriber.isAnswered } else { false }
        }
    }

    private static func waiting(in broker: TestBroker, channel: String) -> Int {
        Self.held(in: broker, channel: channel).count
    }

    @Test(arguments: ["test", "plain"])
    func `a room that is cleared meanwhile is told`(channel: String) {
        var limits = BrokerLimits()
        // what all of the crowd say of themselves has room in it
        limits.windowPerRoom = 4 << 20
        let broker = TestBroker(limits: limits, waitsForSockets: true)
        let (early, crowd) = Self.crowd(broker, channel: channel)
        let epoch = broker.shards[0].onLoop.owner.room(.make(Self.room, channel: channel))?.order.view.epoch
        #expect(Self.waiting(in: broker, channel: channel) > 10)
        _ = broker.clear(.make(Self.room, channel: channel))
        Self.say(4...4, by: early)
        var kinds: Set<[String]> = []
        for frames in Self.settle(broker, crowd) {
            let wasOld = frames.first?.text("epoch") == epoch?.description
            let told = frames.dropFirst().map(\.summary).filter { $0 != "observable_members" }
            kinds.insert(["\(wasOld)"] + told)
        }
        let waited = ["true", "room_cleared", "publish 1"]
        #expect(kinds.contains(waited))
        // some come before the message into the new log, and some behind it
        #expect(kinds.subtracting([waited, ["false", "publish 1"], ["false"]]).isEmpty, "\(kinds)")
    }

    @Test(arguments: ["disconnect", "drop_oldest"])
    func `nobody is too slow whom the broker has kept waiting`(overflow: String) {
        var limits = BrokerLimits()
        limits.windowPerRoom = 4_000
        let broker = TestBroker(limits: limits, waitsForSockets: true)
        let choice = #","overflow":"\#(overflow)""#
        let (early, crowd) = Self.crowd(broker, channel: "plain", choice)
        let held = Self.held(in: broker, channel: "plain").map(\.connection)
        #expect(held.count > 10)
        Self.say(4...23, by: early, padding: String(repeating: "y", count: 500))
        var jumps = 0
        for frames in Self.settle(broker, crowd) {
            var position = 0
            for frame in frames {
                switch frame.type {
                case "gap":
                    #expect(frame.number("from_seq") == position + 1)
                    position = frame.number("to_seq") ?? 0
                    jumps += 1
                case "publish":
                    #expect(frame.seq == position + 1)
                    position += 1
                case "observable_members", "observable_member_leave": break
                default:
                    // one that had begun: the window is smaller than what came in one turn
                    if overflow == "disconnect", frame.type == "goodbye" {
                        position = 23
                        continue
                    }
                    #expect(frame.callback == 90, "\(frame.summary) \(frame.text("reason") ?? "")")
                    position = frame.seq ?? 0
                }
            }
            #expect(position == 23)
        }
        #expect(held.allSatisfy { !$0.lifecycle.isEnding })
        #expect(jumps > 0, "the window has not moved past anybody")
    }

    @Test func `messages that turn out to be stored come without another one`() {
        let broker = TestBroker(waitsForSockets: true)
        let (early, crowd) = Self.crowd(broker, channel: "test")
        #expect(Self.waiting(in: broker, channel: "test") > 10)
        broker.engine.failNext(.append, .unavailableButDone)
        Self.say(4...4, by: early)
        broker.lookAtSockets()
        // the room reads its log again with the next command
        early.sendBytes(#"{"type":"subscribe","room":"\#(Self.room)","callback":2}"# + "\n")
        broker.lookAtSockets()
        #expect(Self.waiting(in: broker, channel: "test") > 10)
        // who comes late gets it with the reply
        let received = Set(Self.settle(broker, crowd).map { $0.filter { $0.type == "publish" }.map(\.seq) })
        #expect(received.contains([4]) && received.isSubset(of: [[4], []]))
    }
}
