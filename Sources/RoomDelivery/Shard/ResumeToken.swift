import RoomCore
import RoomModel

/// The text of a resume token: `SHARD.RANDOM`, and on a node of a cluster `SHARD.RANDOM.NODE.CLIENT.RESUMES.CODE`.
///
/// The shard is the one that has the session. The code, made with the channel's secret, proves to the other nodes whose session it
/// is when its own node cannot be asked any more.
enum ResumeToken {
    static func make(shard: Int, _ high: UInt64, _ low: UInt64) -> String {
        "\(shard).\(String(high, radix: 16)).\(String(low, radix: 16))"
    }

    /// A token of a node of a cluster.
    static func make(
        shard: Int,
        _ high: UInt64,
        _ low: UInt64,
        node: NodeNumber,
        of client: ClientID,
        resumes: UInt32,
        in channel: RoomChannel,
        now: Int64
    ) -> String {
        let text = "\(self.make(shard: shard, high, low)).\(node.rawValue).\(client.text).\(resumes)"
        // nothing else is ever signed that has a line break in it
        let code = channel.tokens.code(of: "resume\n\(channel.id.text)\n\(text)", now: now)
        return "\(text).\(code ?? "")"
    }

    static func shard(of token: String, count: Int) -> Int? {
        guard let index = token.split(separator: ".", maxSplits: 1).first.flatMap({ Int($0) }), index >= 0,
            index < count
        else { return nil }
        return index
    }

    /// The node that gave the token; `nil`: it was given by a broker that is in no cluster.
    static func node(of token: String) -> NodeNumber? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == self.partsInCluster else { return nil }
        return UInt32(parts[3]).map { NodeNumber(rawValue: $0) }
    }

    /// The client to which a node gave this token, and how often its session was resumed before; `nil` where no node of this cluster
    /// gave it, or the channel's secret was another one.
    static func proven(
        _ token: String,
        in channel: RoomChannel,
        now: Int64
    ) -> (client: ClientID, resumes: UInt32)? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == self.partsInCluster, let resumes = UInt32(parts[5]) else { return nil }
        let text = parts.dropLast().joined(separator: ".")
        guard channel.tokens.isCode(String(parts[6]), of: "resume\n\(channel.id.text)\n\(text)", now: now) else {
            return nil
        }
        return (ClientID(String(parts[4])), resumes)
    }

    private static let partsInCluster = 7
}
