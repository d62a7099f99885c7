import NIOCore
import RoomCluster
import RoomCore
import Testing

struct SilentNodesTests {
    private static let second: UInt64 = 1_000_000_000
    private let own = NodeNumber(rawValue: 1)
    private let other = NodeNumber(rawValue: 2)
    private var known: Set<NodeNumber> { [self.own, self.other] }

    @Test func `a node is silent three seconds after its last heartbeat`() {
        var nodes = SilentNodes(own: self.own)
        for time in 1...5 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            nodes.heard(self.other, now: time * Self.second)
        }
        for time in 6...7 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            #expect(nodes.silent(among: self.known, now: time * Self.second).isEmpty)
        }
        nodes.heard(self.own, now: 8 * Self.second)
        #expect(nodes.silent(among: self.known, now: 8 * Self.second) == [self.other])
        nodes.heard(self.other, now: 8 * Self.second + 1)
        #expect(nodes.silent(among: self.known, now: 8 * Self.second + 2).isEmpty)
    }

    @Test func `a node that hears fewer than half of the nodes waits for longer`() {
        let (third, fourth) = (NodeNumber(rawValue: 3), NodeNumber(rawValue: 4))
        var nodes = SilentNodes(own: self.own)
        for time in 1...5 as ClosedRange<UInt64> {
            for node in [self.own, self.other, third, fourth] { nodes.heard(node, now: time * Self.second) }
        }
        for time in 6...16 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            let now = time * Self.second
            #expect(nodes.silent(among: [self.own, self.other, third, fourth], now: now).isEmpty)
        }
        nodes.heard(self.own, now: 17 * Self.second)
        #expect(
            nodes.silent(among: [self.own, self.other, third, fourth], now: 17 * Self.second)
                == [self.other, third, fourth]
        )
        // half of them are enough
        nodes.heard(third, now: 17 * Self.second)
        #expect(
            nodes.silent(among: [self.own, self.other, third, fourth], now: 17 * Self.second) == [self.other, fourth]
        )
    }

    @Test func `one that was never heard has three seconds from this node's first own heartbeat`() {
        var nodes = SilentNodes(own: self.own)
        #expect(nodes.silent(among: self.known, now: 100 * Self.second).isEmpty)
        for time in 100...102 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            #expect(nodes.silent(among: self.known, now: time * Self.second).isEmpty)
        }
        nodes.heard(self.own, now: 103 * Self.second)
        #expect(nodes.silent(among: self.known, now: 103 * Self.second) == [self.other])
    }

    @Test func `one that starts now and was never heard has three seconds from when the logs showed it`() {
        var nodes = SilentNodes(own: self.own)
        for time in 1...100 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            #expect(nodes.silent(among: [self.own], now: time * Self.second).isEmpty)
        }
        for time in 101...103 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            #expect(nodes.silent(among: self.known, now: time * Self.second).isEmpty)
        }
        nodes.heard(self.own, now: 104 * Self.second)
        #expect(nodes.silent(among: self.known, now: 104 * Self.second) == [self.other])
    }

    @Test func `who does not hear itself says nothing of others, and begins to count anew`() {
        var nodes = SilentNodes(own: self.own)
        for time in 1...3 as ClosedRange<UInt64> { nodes.heard(self.own, now: time * Self.second) }
        #expect(nodes.silent(among: self.known, now: 20 * Self.second).isEmpty)
        for time in 20...22 as ClosedRange<UInt64> {
            nodes.heard(self.own, now: time * Self.second)
            #expect(nodes.silent(among: self.known, now: time * Self.second).isEmpty)
        }
        nodes.heard(self.own, now: 23 * Self.second)
        #expect(nodes.silent(among: self.known, now: 23 * Self.second) == [self.other])
    }

    @Test func `a heartbeat is read as it was written`() {
        let heartbeat = Heartbeat(node: self.other, host: "b\"", version: "0.1.0", isReady: true, control: 7)
        #expect(Heartbeat(heartbeat.bytes) == heartbeat)
        #expect(heartbeat.records == .newest)
        #expect(Heartbeat(.init(string: #"{"node":-1,"host":"a","version":"1","ready":true,"control":1}"#)) == nil)
        let newer = #"{"node":1,"host":"a","version":"1","ready":true,"control":1,"more":1}"#
        // what it can read the first release did not say, and a newer one may read what is not known here
        #expect(Heartbeat(.init(string: newer))?.records == .first)
        let most = #"{"node":1,"host":"a","version":"1","ready":true,"control":1,"records":99}"#
        #expect(Heartbeat(.init(string: most))?.records == .newest)
    }
}
