import RoomCore
import RoomModel
import Testing

@testable import RoomCluster

struct PastNodesTests {
    private static let second: UInt64 = 1_000_000_000
    private let node = NodeNumber(rawValue: 1)
    private let ann = ClientID("ann")

    @Test func `it is known how long a node has been silent, for an hour`() {
        var nodes = PastNodes()
        #expect(nodes.silence(of: self.node, now: Self.second) == nil)
        nodes.heard(self.node, now: Self.second)
        nodes.heard(self.node, now: 2 * Self.second)
        #expect(nodes.silence(of: self.node, now: 5 * Self.second) == .seconds(3))
        nodes.heard(NodeNumber(rawValue: 2), now: 2 * Self.second + PastNodes.memory + 1)
        #expect(nodes.silence(of: self.node, now: 2 * Self.second + PastNodes.memory + 1) == nil)
    }

    @Test func `a session of a node that was heard is claimed once, and again when it has been back there`() {
        var nodes = PastNodes()
        let unheard = nodes.claim(self.ann, resumes: 0, of: self.node)
        nodes.heard(self.node, now: Self.second)
        let claims = [(self.ann, 0), (self.ann, 0), (ClientID("bob"), 0), (self.ann, 2), (self.ann, 1)]
            .map { nodes.claim($0, resumes: $1, of: self.node) }
        #expect(!unheard)
        #expect(claims == [true, false, true, true, false])
    }

    @Test func `a node that has just started learns from another one, and forgets nothing that it knows better`() {
        var old = PastNodes()
        old.heard(self.node, now: 10 * Self.second)
        old.expelled(self.ann, now: 11 * Self.second)
        var new = PastNodes()
        let (told, now) = (old.told(now: 12 * Self.second), 900 * Self.second)
        new.learn(told, now: now)
        #expect(new.silence(of: self.node, now: now) == .seconds(2))
        let claims = [self.ann, ClientID("bob")].map { new.claim($0, resumes: 0, of: self.node) }
        #expect(claims == [false, true])
        new.heard(self.node, now: now)
        new.learn(told, now: now)
        #expect(new.silence(of: self.node, now: now) == .zero)
        let again = new.claim(ClientID("bob"), resumes: 0, of: self.node)
        #expect(!again)
        // longer ago than its machine is up
        var late = PastNodes()
        late.learn(told, now: Self.second)
        #expect(late.silence(of: self.node, now: Self.second) == nil)
    }

    @Test func `a client that was let go has no session any more, for an hour`() {
        var nodes = PastNodes()
        nodes.heard(self.node, now: Self.second)
        nodes.expelled(self.ann, now: Self.second)
        let claims = [self.ann, ClientID("bob")].map { nodes.claim($0, resumes: 0, of: self.node) }
        #expect(claims == [false, true])
        nodes.expelled(ClientID("cid"), now: Self.second + PastNodes.memory + 1)
        let isForgotten = nodes.claim(self.ann, resumes: 0, of: self.node)
        #expect(isForgotten)
    }
}
