import RoomAdmin

/// A cluster as people read it.
enum ClusterTables {
    static func sheet(_ cluster: AdminCluster) -> FactTable {
        var sheet = FactTable()
        sheet.add("cluster", Cell(cluster.name))
        sheet.add("partitions", Cell(cluster.streams.filter { $0.partition != nil }.count))
        sheet.add("replicas", Cell(cluster.replicas))
        sheet.add("syncs", Cell(cluster.syncs.replacing("_", with: " ")))
        let problems = cluster.problems
        sheet.add("problems", problems.isEmpty ? [Cell("none")] : problems.map { Cell($0, style: .bad) })
        return sheet
    }

    static func nodes(_ cluster: AdminCluster) -> Table {
        Table(
            [
                .number("NODE"), .text("HOST"), .text("VERSION"), .text("STATE"), .number("CLIENTS"),
                .number("PARTITIONS"),
                .number("BEHIND"), .text(""),
            ],
            cluster.nodes.map { node in
                [
                    Cell(node.node), Cell(node.host), Cell(node.version), Cell(node.state.rawValue),
                    .optional(node.connections) { "\($0)" }, .optional(node.partitions) { "\($0.ready)/\($0.count)" },
                    .optional(node.partitions) { "\($0.behind)" }, Cell(node.this ? "answers" : "", style: .dim),
                ]
            }
        )
    }

    static func servers(_ cluster: AdminCluster) -> Table {
        Table(
            [.text("SERVER"), .number("STREAMS"), .number("LEADS"), .number("LACKS")],
            cluster.servers.map { name in
                let streams = cluster.streams.filter { $0.servers.contains { $0.name == name } }
                let lacking = streams.filter { $0.servers.contains { $0.name == name && !$0.current } }
                return [
                    Cell(name), Cell(streams.count), Cell(streams.filter { $0.leader == name }.count),
                    Cell(lacking.count),
                ]
            }
        )
    }
}

extension [AdminCluster.Node.Partition] {
    fileprivate var ready: Int { self.filter { $0.state == "ready" }.count }
    fileprivate var behind: Int { self.reduce(0) { $0 + ($1.behind ?? 0) } }
}

extension AdminCluster {
    /// By their names.
    var servers: [String] { Set(self.streams.flatMap(\.servers).map(\.name)).sorted() }

    /// What an operator has to know, each with what follows from it.
    var problems: [String] {
        self.nodes.compactMap(\.problem) + self.versionProblem + self.streamProblems
            + self.servers.compactMap(self.problem(of:)) + [self.syncsReason].compactMap(\.self)
    }

    private var versionProblem: [String] {
        let versions = Set(self.nodes.map(\.version)).sorted()
        return versions.count < 2
            ? [] : ["the nodes run \(versions.joined(separator: " and ")): bring them to one version soon"]
    }

    private var streamProblems: [String] {
        let missing = self.streams.filter { !$0.available }.map(\.name)
        guard let first = missing.first else { return [] }
        let streams = missing.count == 1 ? "the stream \(first) has" : "\(missing.count) streams (\(first), …) have"
        let what =
            missing.count == self.streams.count
            ? "nothing can be stored until most of the nats-servers are there; start those that are away"
            : "what is for their rooms waits until its servers have elected one, which takes seconds and a majority of them"
        return ["\(streams) no leader: \(what)"]
    }

    private func problem(of server: String) -> String? {
        let lacking = self.streams.filter { $0.servers.contains { $0.name == server && !$0.current } }
        guard !lacking.isEmpty else { return nil }
        return
            "the server \(server) is away, or not up to date with \(lacking.count) of its streams: do not stop another one now"
    }
}

extension AdminCluster.Node {
    fileprivate var problem: String? {
        switch self.state {
        case .silent:
            "the node \(self.node) on \(self.host) has been silent for \(ShownTime.duration(seconds: self.silentSeconds))"
        case .notReady: "the node \(self.node) on \(self.host) serves nobody: \(self.notReady)"
        default:
            self.changesBehind > 0 ? "the node \(self.node) on \(self.host) is late with administrators' changes" : nil
        }
    }

    private var notReady: String {
        let words = (self.partitions ?? []).map(\.state).filter { $0 != "ready" }
        let counts = Dictionary(grouping: words) { $0 }.mapValues(\.count).sorted { $0.key < $1.key }
        guard !counts.isEmpty else { return "it does not say why" }
        return "partitions are " + counts.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
    }
}
