import NIOCore
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// A broker that is a node of a cluster: its rooms are told of connections of other nodes, too.
struct NodeTests {
    private static let room = "observable-room"
    private let broker = TestBroker(node: NodeNumber(rawValue: 7))

    /// A connection of another node, which has the number of one that is here.
    private let elsewhere = ConnectionRef(shard: 0, number: 1, node: NodeNumber(rawValue: 8))

    private func take(_ command: RoomCommand) {
        self.broker.shards[0].onLoop.owner.take(command, for: .make(Self.room))
        self.broker.run()
    }

    private func join(_ name: String) -> RoomCommand {
        var join = JoinCommand.make(name)
        join.connection = self.elsewhere
        return .join(join)
    }

    private func publish(_ message: String) -> RoomCommand {
        let publish = PublishCommand(
            origin: Origin(connection: self.elsewhere, callback: 5),
            sender: .make("bob"),
            message: ByteBuffer(string: message),
            messageID: nil,
            isEphemeral: false,
            echoes: false
        )
        return .publish(publish)
    }

    @Test func `members of other nodes are told of, and answered by their own node`() {
        let ann = self.broker.connect().joined(Self.room)
        self.take(self.join("bob"))
        self.take(self.publish("1"))
        // the echo is kept from the connection of that number on the other node
        #expect(ann.summaries() == ["observable_member_join", "publish 1"])
        self.take(.leave(ClientID("bob"), self.elsewhere))
        #expect(ann.summaries() == ["observable_member_leave"])
    }

    @Test func `a refusal for another node goes to nobody here`() {
        let ann = self.broker.connect().joined(Self.room)
        self.broker.engine.failNext(.append, .unavailable)
        self.take(self.publish("1"))
        #expect(ann.summaries().isEmpty)
        #expect(ann.publish(Self.room, "2")?.seq == 1)
    }

    @Test func `a room whose members are all on other nodes is sent to no loop here`() {
        self.take(self.join("bob"))
        self.take(self.publish("1"))
        let shard = self.broker.shards[0].onLoop
        #expect(shard.owner.detail(of: .make(Self.room))?.subscribers == 1)
        #expect(shard.local.replicas[.make(Self.room)] == nil)
    }
}
