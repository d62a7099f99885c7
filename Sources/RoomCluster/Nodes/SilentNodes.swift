package import RoomCore

/// Finds the nodes that nobody hears any more, by their heartbeats.
///
/// A node that does not hear its own heartbeats says nothing of others: it may be cut off itself. One that hears fewer than half of the nodes
/// waits for longer, so that where a network falls in two the larger part says what is dead, and the smaller part then ends. One that
/// was never heard has its time from when the logs first showed it. Pure: times come in, monotonic and in nanoseconds.
package struct SilentNodes: Sendable {
    private let own: NodeNumber
    private var heard: [NodeNumber: UInt64] = [:]
    /// When the logs first showed the nodes that they show still.
    private var shown: [NodeNumber: UInt64] = [:]
    /// This node's own heartbeats have come back without a longer pause since then, and the newest of them.
    private var hearsItself: (since: UInt64, newest: UInt64)?

    /// Between two heartbeats of a node.
    package static let interval: UInt64 = 1_000_000_000
    /// `NodeNumber.longestSilence`
    package static let limit = UInt64(NodeNumber.longestSilence / .nanoseconds(1))
    /// So long is waited by who hears fewer than half of the nodes.
    package static let limitOfMinority = 4 * limit
    /// A heartbeat may be late by half.
    package static let pause = interval * 3 / 2

    package init(own: NodeNumber) {
        self.own = own
    }

    package mutating func heard(_ node: NodeNumber, now: UInt64) {
        guard node == self.own else {
            self.heard[node] = now
            return
        }
        let goesOn = self.hearsItself.map { now - $0.newest <= Self.pause } ?? false
        self.hearsItself = (goesOn ? self.hearsItself?.since ?? now : now, now)
    }

    /// Those of the nodes that were silent for too long while this node heard itself.
    package mutating func silent(among nodes: Set<NodeNumber>, now: UInt64) -> Set<NodeNumber> {
        self.heard = self.heard.filter { nodes.contains($0.key) || now - $0.value < Self.limit }
        self.shown = self.shown.filter { nodes.contains($0.key) }
        for node in nodes where self.shown[node] == nil { self.shown[node] = now }
        guard let hearsItself, now - hearsItself.newest <= Self.pause else { return [] }
        let silence = Dictionary(
            uniqueKeysWithValues: nodes.subtracting([self.own]).map { node in
                (node, now - max(self.heard[node] ?? self.shown[node] ?? now, hearsItself.since))
            }
        )
        // itself among them
        let heard = 1 + silence.count { $0.value < Self.limit }
        let limit = 2 * heard < silence.count + 1 ? Self.limitOfMinority : Self.limit
        return Set(silence.lazy.filter { $0.value >= limit }.map(\.key))
    }
}
