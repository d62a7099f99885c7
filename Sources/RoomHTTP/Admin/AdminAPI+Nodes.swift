package import NIOCore
package import RoomCore
import RoomDelivery
import RoomJSON
package import RoomModel

/// What the nodes of a cluster know of their own clients only, put together.
extension AdminAPI {
    /// What this node has to say where another one puts something together.
    package func answer(_ query: NodeQuery) async -> ByteBuffer? {
        switch query {
        case .statistics: return await self.ownStatistics().tree.bytes
        case .clients(let channel):
            return JSONTree.object([.init("connections", .integer(self.rooms.clientCount(in: channel)))]).bytes
        case .members(let clients, let room):
            let mutes = await self.mutes(in: room)
            let members = await self.rooms.details(of: clients, in: room).filter { $0.connection != nil }
            return JSONTree.array(members.map { RoomDocument.tree($0, isMuted: mutes($0)) }).bytes
        case .trace(let id, let room):
            // the node that asks can read the message
            return (try? await self.rooms.trace(id, in: room)).map { RoomDocument.tree($0, of: id, in: room).bytes }
        }
    }

    private func query(_ query: NodeQuery) async -> [(node: NodeView, tree: JSONTree?)] {
        await self.cluster?.query(query).map { view in (view, view.document.flatMap { try? JSONTree.read($0) }) } ?? []
    }

    func ownStatistics() async -> NodeStatistics {
        NodeStatistics(
            await self.rooms.statistics(),
            await self.rooms.slowMembers(naming: NodeStatistics.named),
            await self.rooms.busyConnections(naming: NodeStatistics.named),
            process: await self.processFields()
        )
    }

    /// That of all nodes, and what each of them is like; none where the broker runs alone.
    func allStatistics() async -> (all: NodeStatistics, nodes: [JSONTree]) {
        let own = await self.ownStatistics()
        guard let cluster else { return (own, []) }
        var (all, nodes) = (own, [NodeStatistics.tree(cluster.thisNode, isThis: true, own)])
        for (node, tree) in await self.query(.statistics) {
            let statistics = tree.flatMap(NodeStatistics.init)
            if let statistics { all.add(statistics) }
            nodes.append(NodeStatistics.tree(node, isThis: false, statistics))
        }
        return (all, nodes)
    }

    /// How many are connected to the channel, on all nodes.
    package func clientCount(in channel: ChannelID) async -> Int {
        let elsewhere = await self.query(.clients(of: channel)).compactMap { $0.tree?["connections"]?.numberValue }
        return self.rooms.clientCount(in: channel) + elsewhere.reduce(0) { $0 + Int(clamping: $1) }
    }

    /// Members with their connections, on whatever node those are.
    func trees(of members: [MemberDetail], in room: RoomKey) async -> [JSONTree] {
        let mutes = await self.mutes(in: room)
        let elsewhere = members.filter { $0.connection == nil }.map(\.id)
        var found: [String: JSONTree] = [:]
        for case (_, .array(let trees)?) in elsewhere.isEmpty ? [] : await self.query(.members(elsewhere, of: room)) {
            for tree in trees { if let id = tree["id"]?.stringValue { found[id] = tree } }
        }
        return members.map { found[$0.id.text] ?? RoomDocument.tree($0, isMuted: mutes($0)) }
    }

    /// A message's way, with the subscribers of all nodes.
    func tree(_ trace: MessageTrace, of id: UniqueID, in room: RoomKey) async -> JSONTree {
        var trace = trace
        for (_, tree) in await self.query(.trace(id, in: room)) {
            guard let tree, let passed = tree["passed"]?.numberValue, case .array(let lagging)? = tree["lagging"]
            else { continue }
            trace.passed += Int(clamping: passed)
            trace.lagging += lagging.compactMap { laggard in
                guard let id = laggard["id"]?.stringValue, let lag = laggard["lag"]?.numberValue else { return nil }
                return MessageTrace.Laggard(id: ClientID(id), lag: Int(clamping: lag))
            }
        }
        trace.lagging.sort { $0.id.text < $1.id.text }
        return RoomDocument.tree(trace, of: id, in: room)
    }
}
