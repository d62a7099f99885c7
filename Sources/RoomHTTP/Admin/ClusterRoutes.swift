import NIOHTTP1
import RoomCore
import RoomDocuments

/// The nodes and servers of a cluster.
struct ClusterRoutes: AdminRoutes {
    let cluster: (any ClusterReporter)?

    func add(to router: inout AdminRouter) {
        router.on(.GET, "cluster", scope: .read, self.showCluster)
    }

    @Sendable private func showCluster(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        guard let cluster else {
            throw Problem(.notFound, .noCluster, "this broker runs alone: \"roomline serve --cluster\" makes it a node")
        }
        return .document(AdminCluster(await cluster.clusterReport()))
    }
}

extension AdminCluster {
    fileprivate init(_ report: ClusterReport) {
        self.init(placeholder: ())
        (self.name, self.replicas) = (report.name, report.replicas)
        (self.syncs, self.syncsReason) = (report.syncs.word, report.syncs.reason)
        var newest: [Int: UInt64] = [:]
        for stream in report.streams { if let partition = stream.partition { newest[partition] = stream.newest } }
        self.nodes = report.nodes.map { Node($0, newest) }
        self.streams = report.streams.map { Stream($0) }
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

extension AdminCluster.Node {
    /// - Parameter newest: the newest place of each partition.
    fileprivate init(_ node: ClusterReport.Node, _ newest: [Int: UInt64]) {
        self.init(placeholder: ())
        (self.node, self.host, self.version) = (Int(node.number.rawValue), node.host, node.version)
        (self.this, self.state) = (node.isThis, State(rawValue: node.state.rawValue))
        (self.silentSeconds, self.changesBehind) = (node.silence / .seconds(1), Int(clamping: node.changesBehind))
        self.connections = node.figures?.connections
        self.partitions = node.figures?.partitions.enumerated().map { index, partition in
            var document = Partition(placeholder: ())
            (document.partition, document.state) = (index, partition.state)
            document.behind = newest[index].map { Int(clamping: $0 - min($0, partition.place)) }
            return document
        }
    }
}

extension AdminCluster.Stream {
    fileprivate init(_ stream: ClusterReport.Stream) {
        self.init(placeholder: ())
        (self.name, self.partition) = (stream.name, stream.partition)
        (self.available, self.leader) = (stream.newest != nil, stream.leader)
        self.servers = stream.servers.map { server in
            var document = Server(placeholder: ())
            (document.name, document.current) = (server.name, server.isCurrent)
            return document
        }
    }
}
