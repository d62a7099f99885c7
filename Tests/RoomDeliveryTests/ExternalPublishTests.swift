import NIOConcurrencyHelpers
import NIOCore
import RoomTestKit
import Testing

@testable import RoomCore
@testable import RoomDelivery
@testable import RoomModel

/// Publishes that come by HTTP: the same way as those by socket.
struct ExternalPublishTests {
    private static let room = RoomKey.make()

    /// The answer, once it is there.
    final class Answer {
        var result: Result<ExternalPublishReceipt, RequestError>?

        var receipt: ExternalPublishReceipt? { try? self.result?.get() }
        var code: Code? {
            if case .failure(let error) = self.result { error.code } else { nil }
        }
    }

    private static func publish(
        _ broker: TestBroker,
        _ message: String = "1",
        to room: RoomKey = Self.room,
        from sender: ExternalSender = .rest,
        permission: RoomPermission? = nil,
        maker: RoomMaker? = nil,
        messageID: UniqueID? = nil
    ) -> Answer {
        let answer = Answer()
        let owner = broker.shards[Int(room.stableHash % UInt64(broker.shards.count))].onLoop.owner
        owner.publish(
            ByteBuffer(string: message),
            to: room,
            by: ExternalPublisher(sender, permission: permission, maker: maker),
            messageID: messageID
        ) { answer.result = $0 }
        return answer
    }

    private static func published(
        _ broker: TestBroker,
        _ message: String = "1",
        to room: RoomKey = Self.room,
        from sender: ExternalSender = .rest,
        messageID: UniqueID? = nil
    ) -> Answer {
        let answer = Self.publish(broker, message, to: room, from: sender, messageID: messageID)
        broker.run()
        return answer
    }

    @Test func `a log is opened on behalf of the connection whose command is first, or of those without one`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        _ = Self.published(broker, to: .make("other"))
        ann.publish("room", "1")
        let askers = broker.engine.askers
        #expect(askers.count == 2)
        #expect(askers.last == .outside)
        if case .connection = askers.first {} else { Issue.record("\(askers)") }
    }

    @Test(arguments: ["test", "plain"], [1, 2])
    func `it is stamped with who it came from, and has no client_id`(channel: String, shards: Int) {
        let broker = TestBroker(shards: shards)
        let ann = broker.connect(shard: shards - 1).joined("room", channel: channel)
        let room = RoomKey.make("room", channel: channel)
        let first = Self.published(broker, #"{"a": 1.0}"#, to: room).receipt
        let second = Self.published(broker, "2", to: room, from: .admin("ops \"1\"")).receipt
        let frames = ann.receive()
        #expect(frames.map(\.summary) == ["publish 1", "publish 2"])
        #expect(frames[0].line.hasSuffix(#","sender":{"id":"rest","kind":"rest"},"message":{"a": 1.0}}"#))
        #expect(frames[1].line.contains(#""sender":{"id":"ops \"1\"","kind":"admin"}"#))
        #expect(!frames[0].keys.contains("client_id"))
        #expect(first?.id.description == frames[0].text("id"))
        #expect(first?.seq == 1)
        #expect(first?.isDuplicate == false)
        #expect(first.map { Int($0.timestamp) } == frames[0].number("timestamp"))
        #expect(second?.seq == 2)
    }

    @Test func `it has its place among those of sockets`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        var answers: [Answer] = []
        for number in 0..<5 {
            ann.say("room", "\(number)")
            broker.deliverInput()
            answers.append(Self.publish(broker, "\(number)"))
        }
        broker.run()
        #expect(answers.map { $0.receipt?.seq } == [2, 4, 6, 8, 10])
        #expect(ann.receive().map(\.seq) == Array(1...10))
        #expect(
            ann.history("room")?.list("messages")?.map { $0.object("sender")?.text("kind") ?? "member" }
                == (0..<10).map { $0 % 2 == 0 ? "member" : "rest" }
        )
    }

    @Test func `a repeat has the first one's receipt, another body is a conflict`() {
        let broker = TestBroker()
        let ann = broker.connect().joined("room")
        let first = Self.published(broker, messageID: .make(1)).receipt
        let again = Self.published(broker, messageID: .make(1)).receipt
        #expect(again?.id == first?.id)
        #expect(again?.seq == 1)
        #expect(again?.isDuplicate == true)
        #expect(Self.published(broker, "2", messageID: .make(1)).code == .messageIDConflict)
        #expect(ann.summaries() == ["publish 1"])
        #expect(ann.publish("room", "1", #","message_id":"\#(UniqueID.make(1))""#)?.flag("duplicate") == true)
    }

    @Test(arguments: [false, true])
    func `a repeat while the first is being stored waits for it`(fails: Bool) {
        let broker = TestBroker()
        _ = Self.published(broker, "0")
        broker.engine.hold()
        let first = Self.published(broker, messageID: .make(1))
        let again = Self.published(broker, messageID: .make(1))
        #expect(first.result == nil)
        if fails { broker.engine.failNext(.append, .unavailable) }
        broker.engine.release()
        broker.run()
        #expect(first.code == (fails ? .storageUnavailable : nil))
        #expect(again.receipt?.seq == 2)
        #expect(again.receipt?.isDuplicate == !fails)
        #expect(broker.engine.entries(of: Self.room).count == 2)
    }

    @Test func `what cannot be opened or stored is said`() {
        let broker = TestBroker()
        broker.engine.failNext(.open, .unavailable)
        #expect(Self.published(broker).code == .storageUnavailable)
        #expect(Self.published(broker).receipt?.seq == 1)
        broker.engine.failNext(.append, .unavailableButDone)
        #expect(Self.published(broker, "2", messageID: .make(2)).code == .storageUnavailable)
        #expect(Self.published(broker, "2", messageID: .make(2)).receipt?.isDuplicate == true)
    }

    @Test func `the limits are the same`() {
        var limits = BrokerLimits()
        limits.frame.message = 50
        limits.backlogPerRoom = 100
        let channel = ChannelSettings.make(limits: ChannelLimits(newRoomRate: 1, messageBytes: 30, publishRate: 4))
        let broker = TestBroker(channels: [channel], limits: limits)
        #expect(Self.published(broker, to: .make("room", channel: "nowhere")).code == .unknownChannel)
        #expect(Self.publish(broker, permission: RoomPermission(subscribe: true)).code == .permissionDenied)
        #expect(Self.published(broker, String(repeating: "1", count: 31)).code == .messageTooLarge)
        #expect(Self.published(broker, String(repeating: "1", count: 51)).code == .messageTooLarge)
        #expect(Self.publish(broker, permission: .everything).code == nil)
        broker.run()
        #expect(Self.published(broker, to: .make("another")).code == .rateLimited)
        broker.engine.hold()
        let first = Self.published(broker, String(repeating: "1", count: 30))
        let more = (0..<2).map { _ in Self.published(broker, String(repeating: "1", count: 30)) }
        #expect(more.last?.code == .rateLimited, "four of the channel's were before")
        broker.engine.release()
        broker.run()
        #expect(first.receipt != nil)
        broker.advance(by: .seconds(1))
        broker.engine.hold()
        let backlog = (0..<4).map { _ in Self.published(broker, String(repeating: "1", count: 30)) }
        #expect(backlog.last?.code == .storageUnavailable)
        broker.engine.release()
        broker.run()
        #expect(backlog.map { $0.receipt != nil } == [true, true, false, false])
    }

    @Test func `it costs a write to each subscriber, and more where the room is new`() {
        let broker = TestBroker(shards: 2)
        let new = Self.published(broker, to: .make("new")).receipt?.caused ?? 0
        let known = Self.published(broker, to: .make("new")).receipt?.caused ?? 0
        #expect(0 < known && known < new)
        let members = (0..<10).map { broker.connect(shard: $0 % 2).joined("room") }
        #expect(Self.published(broker).receipt?.caused == known + members.count * Work.write(bytes: 0))
    }

    @Test func `the rate of new rooms holds for each user and address, not for administrators`() throws {
        var limits = BrokerLimits()
        limits.newRoomRate = 3
        limits.roomsPerConnection = 20
        let broker = TestBroker(limits: limits)
        let address = RoomMaker.network(try #require(IPAddress("192.0.2.1")))
        let user = RoomMaker.user(try #require(ChannelID("test")), "17")
        func publish(_ room: String, by maker: RoomMaker?) -> Answer {
            let answer = Self.publish(broker, to: .make(room), maker: maker)
            broker.run()
            return answer
        }
        let answers = (0..<40).map { publish("new-\($0)", by: address) }
        #expect(answers.prefix(30).allSatisfy { $0.receipt != nil }, "ten seconds' worth at once")
        #expect(answers.dropFirst(30).allSatisfy { $0.code == .rateLimited })
        #expect(publish("new-0", by: address).receipt?.seq == 2, "a room that is there is not new")
        #expect(publish("of-user", by: user).receipt != nil)
        #expect((0..<40).allSatisfy { publish("of-admin-\($0)", by: nil).receipt != nil })
        broker.advance(by: .seconds(1))
        #expect(publish("later", by: address).receipt != nil)
    }

    @Test func `a channel that is deleted answers all that wait`() {
        let broker = TestBroker(shards: 2)
        broker.engine.hold()
        let rooms = (0..<6).map { RoomKey.make("room-\($0)") }
        let answers = rooms.map { Self.published(broker, to: $0) }
        #expect(answers.allSatisfy { $0.result == nil })
        broker.removeChannel("test")
        #expect(answers.map(\.code) == Array(repeating: .unknownChannel, count: 6))
        broker.engine.release()
        broker.run()
    }

    @Test func `while the broker shuts down nothing is taken`() {
        let broker = TestBroker()
        broker.shards[0].onLoop.drain(spreadMilliseconds: 1)
        #expect(Self.published(broker).code == .shuttingDown)
    }
}
