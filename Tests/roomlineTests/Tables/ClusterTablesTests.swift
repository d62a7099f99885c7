import RoomAdmin
import Testing

@testable import roomline

struct ClusterTablesTests {
    private static func node(_ number: Int, _ state: String, version: String = "1.0.0", partitions: String) -> String {
        #"{"node":\#(number),"host":"h\#(number)","version":"\#(version)","this":\#(number == 1),"state":"\#(state)","#
            + #""silent_seconds":2.250,"changes_behind":0,"connections":\#(partitions == "null" ? "null" : "5"),"#
            + #""partitions":\#(partitions)}"#
    }

    private static func stream(_ name: String, _ partition: String, _ leader: String?, lacks: String? = nil) -> String {
        let servers = (leader == nil ? [] : ["s1", "s2", "s3"]).map { #"{"name":"\#($0)","current":\#($0 != lacks)}"# }
        return #"{"name":"\#(name)","partition":\#(partition),"available":\#(leader != nil),"#
            + #""leader":\#(leader.map { "\"\($0)\"" } ?? "null"),"servers":[\#(servers.joined(separator: ","))]}"#
    }

    private static func cluster(
        syncs: String = #""always","syncs_reason":null"#,
        nodes: [String],
        streams: [String]
    ) throws -> AdminCluster {
        try Golden.document(
            #"{"name":"chat","replicas":3,"syncs":\#(syncs),"nodes":[\#(nodes.joined(separator: ","))],"#
                + #""streams":[\#(streams.joined(separator: ","))]}"#
        )
    }

    private static let ready =
        #"[{"partition":0,"state":"ready","behind":0},{"partition":1,"state":"ready","behind":3}]"#
    private static let catchingUp =
        #"[{"partition":0,"state":"catching_up","behind":900},{"partition":1,"state":"disconnected","behind":null}]"#

    @Test func `nodes and servers are shown`() throws {
        let cluster = try Self.cluster(
            nodes: [
                Self.node(1, "ready", partitions: Self.ready), Self.node(12, "not_ready", partitions: Self.catchingUp),
            ],
            streams: [
                Self.stream("CHAT_CONTROL", "null", "s1"), Self.stream("CHAT_P000", "0", "s2", lacks: "s3"),
                Self.stream("CHAT_P001", "1", "s2"),
            ]
        )
        let sheet = ClusterTables.sheet(cluster).lines(.plain)
        let tables = [ClusterTables.nodes(cluster), ClusterTables.servers(cluster)].map { $0.lines(.plain) }
        try Golden.expect(sheet + [""] + tables[0] + [""] + tables[1], "cluster-status")
    }

    @Test func `nothing is wrong where all are ready`() throws {
        let cluster = try Self.cluster(
            nodes: [Self.node(1, "ready", partitions: Self.ready), Self.node(2, "ready", partitions: Self.ready)],
            streams: [Self.stream("CHAT_CONTROL", "null", "s1"), Self.stream("CHAT_P000", "0", "s2")]
        )
        #expect(cluster.problems.isEmpty)
    }

    @Test func `a server that does not sync always is a problem where that is looked at`() throws {
        let reason = "the nats-server at http://b:8222 has no sync_interval: always"
        let stream = Self.stream("CHAT_CONTROL", "null", "s1")
        let cluster = try Self.cluster(
            syncs: #""not_always","syncs_reason":"\#(reason)""#,
            nodes: [Self.node(1, "ready", partitions: Self.ready)],
            streams: [stream]
        )
        #expect(cluster.problems == [reason])
        #expect(ClusterTables.sheet(cluster).lines(.plain).contains { $0.hasSuffix("not always") })
        let unknown = try Self.cluster(syncs: #""unknown","syncs_reason":null"#, nodes: [], streams: [stream])
        #expect(unknown.problems.isEmpty)
    }

    @Test func `silent nodes, mixed versions, and streams without a leader are problems`() throws {
        let cluster = try Self.cluster(
            nodes: [
                Self.node(1, "ready", partitions: Self.ready),
                Self.node(2, "silent", version: "1.1.0", partitions: "null"),
            ],
            streams: [Self.stream("CHAT_CONTROL", "null", "s1"), Self.stream("CHAT_P000", "0", nil)]
        )
        #expect(
            cluster.problems == [
                "the node 2 on h2 has been silent for 2s",
                "the nodes run 1.0.0 and 1.1.0: bring them to one version soon",
                "the stream CHAT_P000 has no leader: what is for their rooms waits until its servers have elected one, which takes "
                    + "seconds and a majority of them",
            ]
        )
    }
}
