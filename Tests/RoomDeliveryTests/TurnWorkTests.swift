import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What is much for one turn of an event loop is divided: between two looks at the sockets a part of it is done, and in
/// the end all of it, in order. Counted in writes.
struct TurnWorkTests {
    /// Writes between two looks: both lanes of the fan-out, the connections that are flushed and those that wait have a
    /// budget each, and may go above it by the last entry.
    private static let most = 4 * 500 / Work.write(bytes: 0) + 4 * Subscriber.writesAtOnce

    private let broker = TestBroker(waitsForSockets: true)

    private func connect(_ count: Int, _ lines: [String]) -> [TestConnection] {
        let clients = (0..<count).map { _ in self.broker.connect() }
        for client in clients {
            client.isDumped = false
            client.sendBytes(lines.map { $0 + "\n" }.joined())
        }
        self.settle()
        return clients
    }

    private func settle(_ looks: Int = 200) {
        for _ in 0..<looks { self.broker.lookAtSockets() }
    }

    private static func writes(to clients: [TestConnection]) -> Int { clients.reduce(0) { $0 + $1.socket.writes } }

    /// Looks at the sockets until all is done, and expects that no turn does too much.
    private func expectTurns(
        _ clients: [TestConnection],
        from start: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var (before, largest) = (start, 0)
        for _ in 0..<400 {
            let now = Self.writes(to: clients)
            largest = max(largest, now - before)
            before = now
            self.broker.lookAtSockets()
        }
        #expect(largest <= Self.most, "\(largest) writes in one turn", sourceLocation: sourceLocation)
    }

    private static func member(of rooms: String...) -> [String] {
        [#"{"type":"handshake","channel":"plain"}"#] + rooms.map { #"{"type":"subscribe","room":"\#($0)"}"# }
    }

    @Test func `a room that is cleared tells so in turns, and nobody gets the new log before`() {
        let members = self.connect(900, Self.member(of: "room"))
        for member in members { _ = member.receive() }
        let start = Self.writes(to: members)
        _ = self.broker.clear(.make("room", channel: "plain"))
        self.broker.run()
        #expect(Self.writes(to: members) - start <= Self.most)
        members[0].sendBytes(#"{"type":"publish","room":"room","message":1}"# + "\n")
        self.expectTurns(members, from: Self.writes(to: members))
        for member in members { #expect(member.summaries() == ["room_cleared", "publish 1"]) }
    }

    @Test func `cleared twice, all are told of both in order`() {
        let members = self.connect(900, Self.member(of: "room"))
        for member in members { _ = member.receive() }
        let key = RoomKey.make("room", channel: "plain")
        let answers = (0..<2).map { _ in
            let answer = self.broker.clear(key)
            self.broker.run()
            return answer
        }
        // some know of neither, and leave
        for member in members.suffix(50) { member.drop() }
        self.settle(400)
        for member in members.dropLast(50) {
            #expect(member.receive().map { $0.text("epoch") } == answers.map { $0.value?.description })
        }
        #expect(self.broker.shards[0].onLoop.local.replicas[key]?.changes.isEmpty == true)
    }

    @Test func `what the old window has is written in turns, and comes before the end`() {
        let listeners = self.connect(60, ["iam:listener"])
        let speaker = self.connect(1, [#"{"type":"handshake","channel":"test"}"#])[0]
        for listener in listeners { _ = listener.receiveLines() }
        let count = 150
        let lines = (0..<count).map { #"{"type":"publish","room":"lobby","message":"line \#($0)"}"# + "\n" }
        let start = Self.writes(to: listeners)
        speaker.sendBytes(lines.joined())
        self.broker.deliverInput()
        _ = self.broker.clear(.make("lobby"))
        self.expectTurns(listeners, from: start)
        for listener in listeners {
            let heard = listener.receiveLines().filter { $0.contains("line ") }
            #expect(heard.count == count)
        }
    }

    @Test func `a text client that half-closes gets the rest of the window in turns`() {
        let listeners = self.connect(40, ["iam:listener"])
        let speaker = self.connect(1, [#"{"type":"handshake","channel":"test"}"#])[0]
        for listener in listeners {
            _ = listener.receiveLines()
            listener.stopReading()
        }
        let count = 300
        for number in 0..<count {
            speaker.sendBytes(#"{"type":"publish","room":"lobby","message":"line \#(number)"}"# + "\n")
        }
        self.settle()
        for listener in listeners { listener.readOn() }
        let start = Self.writes(to: listeners)
        for listener in listeners { listener.halfClose() }
        self.expectTurns(listeners, from: start)
        for listener in listeners {
            #expect(listener.receiveLines().filter { $0.contains("line ") }.count == count)
            #expect(listener.isClosed)
        }
    }

    @Test func `a member that is kicked gets of what it has not got as much as one turn may write`() {
        let member = self.connect(1, Self.member(of: "room"))[0]
        let speaker = self.connect(1, Self.member())[0]
        let id = self.broker.shards[0].onLoop.connections.all.compactMap(\.member).first { !$0.subscriptions.isEmpty }
        member.stopReading()
        for number in 0..<200 {
            speaker.sendBytes(#"{"type":"publish","room":"room","message":\#(number)}"# + "\n")
            self.settle(2)
        }
        _ = member.receive()
        member.readOn()
        let start = Self.writes(to: [member])
        if let id { self.broker.kick(id.clientID.text, from: "room", "plain") }
        self.broker.run()
        #expect(Self.writes(to: [member]) - start <= Subscriber.writesAtOnce + 2)
        self.settle()
        #expect(member.receive().last?.code == "kicked")
    }

    @Test func `a connection that is behind in many rooms gets them in turns`() {
        let rooms = (0..<900).map { "\"room-\($0)\"" }.joined(separator: ",")
        let reader = self.connect(1, Self.member() + [#"{"type":"subscribe","rooms":[\#(rooms)]}"#])[0]
        let speaker = self.connect(1, Self.member())[0]
        _ = reader.receive()
        reader.stopReading()
        for room in 0..<900 {
            speaker.sendBytes(#"{"type":"publish","room":"room-\#(room)","message":1}"# + "\n")
        }
        self.settle(400)
        let start = Self.writes(to: [reader])
        reader.readOn()
        #expect(Self.writes(to: [reader]) - start <= Self.most)
        self.expectTurns([reader], from: Self.writes(to: [reader]))
        #expect(Set(reader.receive().filter { $0.type == "publish" }.map { $0.text("room") ?? "" }).count == 900)
    }

    @Test func `the subscribers of many connections that end go in turns`() {
        let rooms = (0..<300).map { "\"room-\($0)\"" }.joined(separator: ",")
        let clients = self.connect(20, Self.member() + [#"{"type":"subscribe","rooms":[\#(rooms)]}"#])
        self.settle(600)
        let shard = self.broker.shards[0].onLoop
        func left() -> Int { shard.tally.counters.subscribers.values.reduce(0, +) }
        #expect(left() == 20 * 300)
        for client in clients { client.drop() }
        var before = left()
        #expect(before > 0)
        for _ in 0..<1_500 {
            self.broker.lookAtSockets()
            #expect(before - left() <= 2_500)
            before = left()
        }
        #expect(left() == 0)
    }

    @Test func `those who join at once share lists of members, and are told of each other once`() {
        let data = "\"\(String(repeating: "x", count: 400))\""
        let clients = (0..<400).map { _ in self.broker.connect() }
        for client in clients {
            client.isDumped = false
            client.sendBytes(
                #"{"type":"handshake","channel":"plain","client_data":\#(data)}"# + "\n"
                    + #"{"type":"subscribe","room":"observable-room"}"# + "\n"
            )
        }
        let shard = self.broker.shards[0].onLoop
        self.settle(1_000)
        for client in clients {
            var members: [String] = []
            for frame in client.receive() {
                if frame.type == "observable_members" {
                    members = (frame.list("data") ?? []).compactMap { $0.text("id") }
                } else if frame.type == "observable_member_join" {
                    members += [frame.object("data")?.text("id") ?? ""]
                }
            }
            // the list and what follows it tell of each once
            #expect(members.count == 400)
            #expect(Set(members).count == 400)
        }
        let room = shard.owner.sequencer.room(.make("observable-room", channel: "plain"))
        let encodings = room?.members.encodings ?? 0
        #expect(encodings < 134, "\(encodings) lists for 400 joins")
    }

    @Test func `a message waits behind a few of those who come, however many do`() {
        let talkers = self.connect(2, Self.member(of: "normal"))
        for talker in talkers { _ = talker.receive() }
        let herd = (0..<1_000).map { _ in self.broker.connect() }
        for client in herd {
            client.isDumped = false
            client.sendBytes(Self.member(of: "observable-herd").map { $0 + "\n" }.joined())
        }
        talkers[0].sendBytes(#"{"type":"publish","room":"normal","message":1,"ephemeral":true}"# + "\n")
        var (heard, looks) = (false, 0)
        talkers[1].onBytes { heard = true }
        while !heard, looks < 100 {
            self.broker.lookAtSockets()
            looks += 1
        }
        #expect(looks <= 5, "\(looks) looks")
        self.settle(2_000)
        #expect(herd.allSatisfy { $0.receive().contains { $0.type == "observable_members" } })
    }

    @Test func `a message waits behind a few of those who join, however many do at once`() {
        let talkers = self.connect(2, Self.member(of: "normal"))
        for talker in talkers { _ = talker.receive() }
        let herd = (0..<1_000).map { _ in self.broker.connect() }
        for client in herd {
            client.isDumped = false
            client.handshake(channel: "plain")
        }
        for client in herd {
            client.sendBytes(#"{"type":"subscribe","room":"herd","callback":2}"# + "\n")
        }
        talkers[0].sendBytes(#"{"type":"publish","room":"normal","message":1,"ephemeral":true}"# + "\n")
        var (heard, looks) = (false, 0)
        talkers[1].onBytes { heard = true }
        while !heard, looks < 100 {
            self.broker.lookAtSockets()
            looks += 1
        }
        #expect(looks <= 5, "\(looks) looks")
        self.settle()
        #expect(herd.allSatisfy { $0.receive().contains { $0.callback == 2 } })
    }
}
