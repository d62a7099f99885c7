import NIOHTTP1
import RoomCore
import RoomJSON

extension AdminAPI {
    func addCluster(to routes: inout HTTPRoutes) {
        self.on(.GET, "cluster", in: &routes, scope: .read, self.showCluster)
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

    @Sendable private func showCluster(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        guard let cluster else {
            throw Problem(.notFound, .noCluster, "this broker runs alone: \"roomline serve --cluster\" makes it a node")
        }
        return .document(await cluster.clusterReport().tree)
    }
}

extension ClusterReport {
    fileprivate var tree: JSONTree {
        var newest: [Int: UInt64] = [:]
        for stream in self.streams { if let partition = stream.partition { newest[partition] = stream.newest } }
        return .object([
            .init("name", .string(self.name)), .init("replicas", .integer(self.replicas)),
            .init("syncs", .string(self.syncs.word)),
            .init("syncs_reason", .optional(self.syncs.reason) { .string($0) }),
            .init("nodes", .array(self.nodes.map { $0.tree(newest) })),
            .init("streams", .array(self.streams.map(\.tree))),
        ])
    }
}

extension ServerSyncs {
    fileprivate var word: String {
        switch self {
        case .unknown: "unknown"
        case .always: "always"
        case .notAlways: "not_always"
        }
    }

    fileprivate var reason: String? {
        guard case .notAlways(let reason) = self else { return nil }
        return reason
    }
}

extension ClusterReport.Node {
    /// - Parameter newest: the newest place of each partition.
    fileprivate func tree(_ newest: [Int: UInt64]) -> JSONTree {
        let partitions = self.figures?.partitions.enumerated().map { index, partition in
            JSONTree.object([
                .init("partition", .integer(index)), .init("state", .string(partition.state)),
                .init("behind", .optional(newest[index]) { .integer($0 - min($0, partition.place)) }),
            ])
        }
        return .object([
            .init("node", .integer(self.number.rawValue)), .init("host", .string(self.host)),
            .init("version", .string(self.version)), .init("this", .bool(self.isThis)),
            .init("state", .string(self.state.rawValue)), .init("silent_seconds", .seconds(self.silence)),
            .init("changes_behind", .integer(self.changesBehind)),
            .init("connections", .optional(self.figures) { .integer($0.connections) }),
            .init("partitions", .optional(partitions) { .array($0) }),
        ])
    }
}

extension ClusterReport.Stream {
    fileprivate var tree: JSONTree {
        let servers = self.servers.map { server in
            JSONTree.object([.init("name", .string(server.name)), .init("current", .bool(server.isCurrent))])
        }
        return .object([
            .init("name", .string(self.name)), .init("partition", .optional(self.partition) { .integer($0) }),
            .init("available", .bool(self.newest != nil)),
            .init("leader", .optional(self.leader) { .string($0) }), .init("servers", .array(servers)),
        ])
    }
}
