import Foundation
import RoomClient
import RoomTestKit
import Scaledrone
import Testing

@Suite(.timeLimit(.minutes(5)), .overEveryTransport, .enabled(if: BrokerProcess.isAllowed))
struct ConversationTests {
    @Test
    func `the app is told in order: connection, room, members, history, messages`() async throws {
        try await Network.with { network in
            let first = Witness(rooms: "observable-lobby")
            let luke = network.client("Luke", of: first)
            luke.connect()
            #expect(
                await first.next(3) == [
                    .connected(nil), .roomConnected("observable-lobby", nil), .members(["Luke"]),
                ]
            )
            for text in ["1", "2", "3"] { luke.publish(message: text, room: "observable-lobby") }
            #expect(
                await first.next(3) == ["1", "2", "3"].map { .message($0, from: "Luke") }
            )

            let second = Witness(rooms: "observable-lobby", history: 2)
            let leia = network.client("Leia", of: second)
            leia.connect()
            #expect(await first.next() == .joined("Leia"))
            luke.publish(message: "4", room: "observable-lobby")
            #expect(
                await second.next(6) == [
                    .connected(nil), .roomConnected("observable-lobby", nil), .members(["Leia", "Luke"]),
                    .message("2", from: "Luke"), .message("3", from: "Luke"), .message("4", from: "Luke"),
                ]
            )
        }
    }

    @Test
    func `messages of one thread keep their order, asked for before there is a connection`() async throws {
        try await Network.with { network in
            let witness = Witness()
            let scaledrone = network.client("Luke", of: witness)
            witness.subscribe(to: "lobby", with: scaledrone)
            scaledrone.connect()
            for number in 0..<500 { scaledrone.publish(message: number, room: "lobby") }
            #expect(await witness.next(2) == [.connected(nil), .roomConnected("lobby", nil)])
            #expect(await witness.next(500) == (0..<500).map { .message("\($0)", from: nil) })
        }
    }

    @Test(arguments: ["lobby", "observable-lobby"])
    func `a message says who sent it, when, and its id, and in an observable room the member`(name: String) async throws
    {
        try await Network.with { network in
            let (messages, received) = AsyncStream.makeStream(of: ScaledroneMessage.self)
            let (client, delegate) = (network.client("Luke", of: Witness()), MessageTaker { received.yield($0) })
            let room = client.subscribe(roomName: name)
            room.delegate = delegate
            client.connect()
            let start = Date()
            room.publish(message: ["text": "hello", "numbers": [1, 2.5]] as [String: Any])
            var feed = messages.makeAsyncIterator()
            let message = try #require(await feed.next())
            let fields = try #require(message.data as? [String: Any])
            #expect(fields["text"] as? String == "hello")
            #expect(fields["numbers"] as? [Double] == [1, 2.5])
            #expect(message.memberID == client.clientID && !client.clientID.isEmpty)
            let isObservable = name != "lobby"
            #expect(message.member?.id == (isObservable ? client.clientID : nil))
            #expect(message.member?.clientData as? String == (isObservable ? "Luke" : nil))
            #expect(message.member?.authData == nil)
            #expect(message.time.map { abs($0.timeIntervalSince(start)) < 60 } == true)
            #expect(message.messageID.flatMap { UUID(uuidString: $0) } != nil)
            #expect(room.members.count == (isObservable ? 1 : 0))
        }
    }

    @Test
    func `a room's members are those that the app has been told of`() async throws {
        try await Network.with { network in
            let witness = Witness()
            let luke = network.client("Luke", of: witness)
            let room = witness.subscribe(to: "observable-lobby", with: luke)
            #expect(room.members.isEmpty)
            luke.connect()
            await witness.wait(for: .members(["Luke"]))
            #expect(room.members.map(\.id) == [luke.clientID])
            #expect(room.scaledrone === luke)
            #expect(room.name == "observable-lobby")

            let leia = network.client("Leia", of: Witness(rooms: "observable-lobby"))
            leia.connect()
            await witness.wait(for: .joined("Leia"))
            #expect(room.members.map(\.name) == ["Luke", "Leia"])
            leia.disconnect()
            await witness.wait(for: .left("Leia"))
            #expect(room.members.map(\.name) == ["Luke"])
        }
    }

    @Test
    func `an app that does not listen for a while misses nothing`() async throws {
        try await Network.with { network in
            let queue = DispatchQueue(label: "app")
            let witness = Witness(rooms: "lobby")
            let luke = network.client("Luke", of: witness, queue: queue)
            luke.connect()
            await witness.wait(for: .roomConnected("lobby", nil))
            let other = Witness(rooms: "lobby")
            let leia = network.client("Leia", of: other)
            leia.connect()
            await other.wait(for: .roomConnected("lobby", nil))
            queue.suspend()
            let messages = (0..<500).map { Witness.Event.message("\($0)", from: nil) }
            for number in 0..<500 { leia.publish(message: number, room: "lobby") }
            #expect(await other.next(500) == messages)
            queue.resume()
            #expect(await witness.next(500) == messages)
        }
    }

    @Test
    func `subscribing again takes the place of the earlier subscription`() async throws {
        try await Network.with { network in
            let watcher = Witness(rooms: "observable-lobby")
            let leia = network.client("Leia", of: watcher)
            leia.connect()
            await watcher.wait(for: .members(["Leia"]))

            let early = Witness(rooms: "observable-lobby")
            let late = Witness(on: early.queue)
            let luke = network.client("Luke", of: early)
            luke.connect()
            #expect(await watcher.next() == .joined("Luke"))
            await early.wait(for: .members(["Leia", "Luke"]))
            late.subscribe(to: "observable-lobby", with: luke)
            #expect(await watcher.next(2) == [.left("Luke"), .joined("Luke")])
            luke.publish(message: "hello", room: "observable-lobby")
            #expect(
                await late.next(3) == [
                    .roomConnected("observable-lobby", nil), .members(["Leia", "Luke"]),
                    .message("hello", from: "Luke"),
                ]
            )
            luke.disconnect()
            #expect(await early.next() == .disconnected(nil))
        }
    }
}

/// Passes messages on.
final class MessageTaker: ScaledroneRoomDelegate {
    private let take: (ScaledroneMessage) -> Void

    init(take: @escaping (ScaledroneMessage) -> Void) {
        self.take = take
    }

    func scaledroneRoomDidReceiveMessage(room: ScaledroneRoom, message: ScaledroneMessage) {
        self.take(message)
    }
}
