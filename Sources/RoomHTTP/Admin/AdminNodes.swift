package import NIOCore
import NIOHTTP1
import RoomControl
package import RoomCore
import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomMetrics
package import RoomModel
import RoomWire

/// The clients of all nodes of a cluster: each node knows its own only.
package struct AdminNodes: Sendable {
    let rooms: any RoomAccess
    let moderation: ModerationRegistry
    /// `nil`: the broker runs alone.
    let cluster: (any ClusterReporter)?
    let version: String
    let process: @Sendable () -> ProcessFigures
    let clock: @Sendable () -> Int64

    /// The part of this node where another one puts something together.
    package func answer(_ query: NodeQuery) async -> ByteBuffer? {
        switch query {
        case .statistics: return await self.ownStatistics().json
        case .clients(let channel):
            return NodeClients(connections: self.rooms.clientCount(in: channel)).json
        case .members(let clients, let room):
            let mutes = await self.mutes(in: room)
            let members = await self.rooms.details(of: clients, in: room).filter { $0.connection != nil }
            var answer = ByteBuffer()
            members.map(mutes).write(to: &answer)
            return answer
        case .trace(let id, let room):
            // the node that asks can read the message
            return (try? await self.rooms.trace(id, in: room))?.json
        }
    }

    /// The answers of the other nodes, as far as this version can read it.
    private func answers<Document: AdminDocument>(
        _ query: NodeQuery,
        as: Document.Type = Document.self
    ) async -> [(node: NodeView, document: Document?)] {
        let names = Document.names
        return await self.cluster?.query(query).map { view in
            (view, view.document.flatMap { try? Document(reading: $0, names: names) })
        } ?? []
    }

    func ownStatistics() async -> NodeStatistics {
        NodeStatistics(
            await self.rooms.statistics(),
            await self.rooms.slowMembers(naming: NodeStatistics.named),
            await self.rooms.busyConnections(naming: NodeStatistics.named),
            process: self.nodeProcess
        )
    }

    private var nodeProcess: NodeProcess {
        let figures = self.process()
        var process = NodeProcess()
        (process.version, process.uptimeSeconds) = (self.version, figures.uptimeSeconds)
        process.cpuSeconds = figures.processorSeconds
        process.residentBytes = figures.residentBytes.map { UInt64($0) }
        return process
    }

    /// The statistics of all nodes, and of each; no nodes where the broker runs alone.
    func allStatistics() async -> (all: NodeStatistics, nodes: [AdminStatistics.Node]) {
        let own = await self.ownStatistics()
        guard let cluster else { return (own, []) }
        var (all, nodes) = (own, [AdminStatistics.Node(cluster.thisNode, isThis: true, own)])
        for (node, statistics) in await self.answers(.statistics, as: NodeStatistics.self) {
            if let statistics { all.add(statistics) }
            nodes.append(AdminStatistics.Node(node, isThis: false, statistics))
        }
        return (all, nodes)
    }

    /// How many are connected to the channel, on all nodes.
    package func clientCount(in channel: ChannelID) async -> Int {
        let elsewhere = await self.answers(.clients(of: channel), as: NodeClients.self).compactMap(\.document)
        return elsewhere.reduce(self.rooms.clientCount(in: channel)) { $0 + $1.connections }
    }

    /// Marks those of the room's members that may not publish there now.
    func mutes(in room: RoomKey) async -> (AdminMember) -> AdminMember {
        let (sanctions, now) = (await self.moderation.moderation(of: room.channel).sanctions, self.clock())
        return { member in
            var member = member
            let address = member.connection?.address.flatMap { IPAddress($0) }
            let person = SanctionedPerson(user: member.user, client: ClientID(member.id), address: address)
            member.isMuted = sanctions.activeSanctions(of: person, now: now).mute(in: room.room) != nil
            return member
        }
    }

    /// Members with their connections, on whatever node those are.
    func whole(_ members: [AdminMember], in room: RoomKey) async -> [AdminMember] {
        let mutes = await self.mutes(in: room)
        let elsewhere = members.filter { $0.connection == nil }.map { ClientID($0.id) }
        var found: [String: AdminMember] = [:]
        for view in elsewhere.isEmpty ? [] : await self.cluster?.query(.members(elsewhere, of: room)) ?? [] {
            for json in view.document?.jsonElements ?? [] {
                if let member = try? AdminMember(reading: json, names: AdminMember.names) { found[member.id] = member }
            }
        }
        return members.map { found[$0.id] ?? mutes($0) }
    }

    /// A message's way, with the subscribers of all nodes.
    func whole(_ trace: AdminTrace, of id: UniqueID, in room: RoomKey) async -> AdminTrace {
        var trace = trace
        for part in await self.answers(.trace(id, in: room), as: AdminTrace.self).compactMap(\.document) {
            trace.passed += part.passed
            trace.lagging += part.lagging
        }
        trace.lagging.sort { $0.id < $1.id }
        return trace
    }

    /// An act whose records not all nodes can read is refused.
    func checkNodes(canRead level: RecordLevel, for what: String) throws(Problem) {
        guard let node = self.cluster?.node(below: level) else { return }
        throw Problem(
            .conflict,
            .clusterUpgrading,
            "the node \(node.number.rawValue) on \(node.host) runs an older release that cannot \(what): upgrade it first"
        )
    }
}

/// How many clients of a channel a node has.
private struct NodeClients: AdminDocument {
    private(set) var connections = 0

    init(connections: Int) { self.connections = connections }

    init(placeholder: ()) {}

    mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("connections", &self.connections)
    }
}
