import NIOConcurrencyHelpers
import RoomCore
import RoomDelivery
import RoomModel

/// The sessions of the nodes of a cluster in memory.
final class MemorySessions: SessionExchange {
    private struct State {
        var shards: [NodeNumber: [ShardRef]] = [:]
        var claimed: Set<String> = []
        var answers = 0
    }

    private let state = NIOLockedValueBox(State())

    /// So often one node has answered another.
    var answers: Int { self.state.withLockedValue(\.answers) }

    func add(_ node: NodeNumber, _ shards: [ShardRef]) {
        self.state.withLockedValue { $0.shards[node] = shards }
    }

    func silence(_ node: NodeNumber) {
        self.state.withLockedValue { $0.shards[node] = nil }
    }

    func takeOver(
        _ token: String,
        in channel: ChannelID,
        of node: NodeNumber,
        _ answered: @escaping @Sendable (SessionElsewhere) -> Void
    ) {
        guard let shards = self.state.withLockedValue({ $0.shards[node] }) else { return answered(.silent(for: .zero)) }
        RoomShard.takeOver(token, in: channel, among: shards) { [state] session in
            state.withLockedValue { $0.answers += 1 }
            answered(session.map { .session($0) } ?? .none)
        }
    }

    func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool { false }

    func claim(_ client: ClientID, resumes: UInt32, of node: NodeNumber) -> Bool {
        self.state.withLockedValue { $0.claimed.insert("\(client) \(resumes) \(node.rawValue)").inserted }
    }
}
