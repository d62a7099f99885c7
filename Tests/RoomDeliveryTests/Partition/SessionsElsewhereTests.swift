import NIOCore
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomDelivery

/// A client that comes to another node of the cluster with its session.
struct SessionsElsewhereTests {
    private static let room = "observable-room"
    private let cluster = MemoryCluster()
    private let nodes: [TestBroker]
    private let bob: TestConnection

    init() {
        self.nodes = TestBroker.twoNodes(of: self.cluster)
        self.bob = self.nodes[1].connect().joined(Self.room)
    }

    private func advance(by time: TimeAmount) {
        self.cluster.clock.advance(milliseconds: time.nanoseconds / 1_000_000)
        for node in self.nodes { node.advance(by: time) }
    }

    /// A member of the room on the first node, whom Bob has seen come.
    private func member() -> (client: TestConnection, id: String, token: String) {
        let client = self.nodes[0].connect()
        let welcome = client.handshake(data: #"{"name":"Ann"}"#, #","resumable":true"#)
        client.subscribe(Self.room)
        #expect(self.bob.summaries() == ["observable_member_join"])
        return (client, welcome?.text("client_id") ?? "", welcome?.text("resume_token") ?? "")
    }

    /// The same client on the second node.
    private func again(_ token: String) -> (client: TestConnection, welcome: ReceivedFrame?) {
        let client = self.nodes[1].connect()
        let welcome = client.handshake(data: #"{"name":"Ann"}"#, #","resumable":true,"resume":"\#(token)""#)
        return (client, welcome)
    }

    @Test func `a session goes on through another node, and nobody notices`() {
        let (ann, id, token) = self.member()
        ann.drop()
        let (again, welcome) = self.again(token)
        #expect(welcome?.flag("resumed") == true)
        #expect(welcome?.text("client_id") == id)
        again.subscribe(Self.room)
        self.advance(by: .seconds(60))
        #expect(self.bob.summaries().isEmpty)
        #expect(again.publish(Self.room, "1")?.seq == 1)
        #expect(self.bob.summaries() == ["publish 1"])
    }

    @Test func `it can be resumed while its connection lives, which then ends`() {
        let (ann, id, token) = self.member()
        let (again, welcome) = self.again(token)
        #expect(welcome?.text("client_id") == id)
        again.subscribe(Self.room)
        #expect(ann.receive().map(\.code).contains("replaced"))
        self.advance(by: .seconds(60))
        #expect(self.bob.summaries().isEmpty)
    }

    @Test func `a room that is not subscribed again is left after the grace`() {
        let (ann, _, token) = self.member()
        ann.drop()
        _ = self.again(token)
        self.advance(by: .seconds(60))
        #expect(self.bob.summaries() == ["observable_member_leave"])
    }

    @Test func `a token is used once`() {
        let (ann, id, token) = self.member()
        ann.drop()
        _ = self.again(token)
        let (_, welcome) = self.again(token)
        #expect(welcome?.flag("resumed") == false)
        #expect(welcome?.text("client_id") != id)
    }

    // MARK: The node is gone

    @Test func `it goes on where its node is gone, before the others know so`() {
        let (_, id, token) = self.member()
        self.nodes[0].die()
        let (again, welcome) = self.again(token)
        #expect(welcome?.flag("resumed") == true)
        #expect(welcome?.text("client_id") == id)
        again.subscribe(Self.room)
        self.nodes[1].nodeGone(NodeNumber(rawValue: 1))
        self.nodes[1].run()
        self.advance(by: .seconds(60))
        #expect(self.bob.summaries().isEmpty)
        #expect(again.publish(Self.room, "1")?.seq == 1)
    }

    @Test func `it goes on where its node is known to be gone`() {
        let (_, id, token) = self.member()
        self.nodes[0].die()
        self.nodes[1].nodeGone(NodeNumber(rawValue: 1))
        self.nodes[1].run()
        let (again, welcome) = self.again(token)
        #expect(welcome?.text("client_id") == id)
        again.subscribe(Self.room)
        self.advance(by: .seconds(60))
        #expect(self.bob.summaries().isEmpty)
    }

    @Test func `the session of a node that is gone is resumed once`() {
        let (_, _, token) = self.member()
        self.nodes[0].die()
        #expect(self.again(token).welcome?.flag("resumed") == true)
        #expect(self.again(token).welcome?.flag("resumed") == false)
    }

    @Test func `a token that no node has given resumes nothing`() {
        let (_, id, token) = self.member()
        self.nodes[0].die()
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        #expect(parts[3...4] == ["1", id])
        let other = String(id.reversed())
        for (index, part) in [(2, "0"), (3, "2"), (4, other), (5, "1"), (6, ""), (6, parts[6] + "A"), (6, "%")] {
            var forged = parts
            forged[index] = part
            #expect(self.again(forged.joined(separator: ".")).welcome?.flag("resumed") == false, "\(forged)")
        }
        #expect(self.again(token).welcome?.flag("resumed") == true)
    }
}
