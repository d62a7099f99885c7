import ArgumentParser
import RoomAdmin

/// `roomline cluster …`
struct ClusterCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Begin a cluster, and show what it is like.",
        discussion: AdminHelp.group("cluster status", "cluster begin"),
        subcommands: [ClusterStatus.self, ClusterBegin.self]
    )
}

/// `roomline cluster status`
struct ClusterStatus: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show all nodes and servers of the cluster, and what is wrong with them.",
        discussion: AdminHelp.text(
            """
            It is the view of the node that is asked. BEHIND is how many records of the streams a node has not applied yet. A server \
            LEADS a stream where it says what comes next; it LACKS a stream where it is not up to date.
            """,
            ("cluster status", "Nodes, servers, and what is wrong."),
            ("cluster status --json | jq '.nodes[] | select(.state != \"ready\")'", "Nodes that are not ready."),
            (
                "cluster status --json | jq -r '.streams[] | select(.available | not) | .name'",
                "Streams in which nothing can be stored."
            )
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(to: .cluster)
        guard !output.isJSON else { return try output.write(answer.response.body) }
        let cluster = try answer.value()
        try output.write(ClusterTables.sheet(cluster))
        try output.write(plain: "")
        try output.write(ClusterTables.nodes(cluster))
        guard cluster.streams.contains(where: { !$0.servers.isEmpty }) else { return }
        try output.write(plain: "")
        try output.write(ClusterTables.servers(cluster))
    }
}
