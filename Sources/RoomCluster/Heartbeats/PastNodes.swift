import RoomCore
import RoomModel

/// When each node was heard last, which sessions of nodes that are gone have been resumed here, and which clients were let go. Pure:
/// times come in, monotonic and in nanoseconds.
struct PastNodes: Sendable {
    private struct Node {
        var heard: UInt64
        /// How often the session of each client had been resumed before.
        var claimed: [ClientID: UInt32] = [:]
    }

    private var nodes: [NodeNumber: Node] = [:]
    /// When each client was let go by a moderator, on whichever node.
    private var expelled: [ClientID: UInt64] = [:]

    /// A node is remembered for so long: nobody's grace counts for longer here.
    static let memory: UInt64 = 3_600_000_000_000

    init() {}

    mutating func heard(_ node: NodeNumber, now: UInt64) {
        self.nodes[node, default: Node(heard: now)].heard = now
        self.nodes = self.nodes.filter { now - min(now, $0.value.heard) <= Self.memory }
    }

    /// How long it has not been heard; `nil`: it is unknown.
    func silence(of node: NodeNumber, now: UInt64) -> Duration? {
        self.nodes[node].map { .nanoseconds(Int64(now - min(now, $0.heard))) }
    }

    /// No session of this client goes on any more.
    mutating func expelled(_ client: ClientID, now: UInt64) {
        self.expelled = self.expelled.filter { now - min(now, $0.value) <= Self.memory }
        self.expelled[client] = now
    }

    /// Whether nobody has gone on from there with the session of this client, and no moderator has let it go.
    ///
    /// - Parameter resumes: how often it was resumed before. It may have come back to the node since, and be resumed from there again.
    mutating func claim(_ client: ClientID, resumes: UInt32, of node: NodeNumber) -> Bool {
        guard let known = self.nodes[node], self.expelled[client] == nil else { return false }
        if let claimed = known.claimed[client], resumes <= claimed { return false }
        self.nodes[node]?.claimed[client] = resumes
        return true
    }
}

/// A node that has just started knows of nobody: the others tell it what they know, so that a client can go on there, too.
extension PastNodes {
    /// Times are those that have passed, in nanoseconds.
    struct Told: Equatable, Sendable {
        /// For how long each node has been silent.
        var nodes: [NodeNumber: UInt64]
        /// How long ago each client was let go, the last ones of them.
        var expelled: [ClientID: UInt64]
    }

    /// So many clients fit into one answer.
    private static let clientsTold = 10_000

    func told(now: UInt64) -> Told {
        let newest = self.expelled.sorted { $0.value > $1.value }.prefix(Self.clientsTold)
        return Told(
            nodes: self.nodes.mapValues { now - min(now, $0.heard) },
            expelled: Dictionary(uniqueKeysWithValues: newest.map { ($0.key, now - min(now, $0.value)) })
        )
    }

    /// Takes what another node knows. A time from before this machine was up is left out.
    mutating func learn(_ told: Told, now: UInt64) {
        for (node, silence) in told.nodes where silence <= min(now, Self.memory) {
            let heard = max(self.nodes[node]?.heard ?? 0, now - silence)
            self.nodes[node, default: Node(heard: heard)].heard = heard
        }
        for (client, age) in told.expelled where age <= min(now, Self.memory) {
            self.expelled[client] = max(self.expelled[client] ?? 0, now - age)
        }
    }
}
