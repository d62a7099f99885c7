import NIOHTTP1
import RoomCore
import RoomJSON
import Testing

@testable import RoomHTTP

struct ClusterRoutesTests {
    private struct Reporter: ClusterReporter {
        let report: ClusterReport
        var older: NodeView?

        func clusterReport() async -> ClusterReport { self.report }
        func query(_ query: NodeQuery) async -> [NodeView] { [] }
        func node(below level: RecordLevel) -> NodeView? { self.older }
        var thisNode: NodeView { NodeView(number: NodeNumber(rawValue: 4), host: "a", document: nil) }
    }

    @Test func `a broker that runs alone says how it becomes a node`() async throws {
        let answer = try await AdminBench().call(.GET, "cluster")
        #expect(answer.status == .notFound)
        #expect(answer.text.hasPrefix("no_cluster: "))
    }

    @Test func `what an older node cannot read waits until it is upgraded`() async throws {
        let report = ClusterReport(name: "chat", replicas: 3, syncs: .unknown, nodes: [], streams: [])
        let older = NodeView(number: NodeNumber(rawValue: 3), host: "b", document: nil)
        let bench = try AdminBench(cluster: Reporter(report: report, older: older))
        for path in ["channels/talk/prune", "channels/talk/rooms/r/history"] {
            let answer = try await bench.call(.POST, path, #"{"keep":1}"#)
            #expect(answer.status == .conflict)
            #expect(answer.text.hasPrefix("cluster_upgrading: the node 3 on b "))
        }
    }

    @Test func `nodes are shown, and how far each is behind the streams`() async throws {
        let report = ClusterReport(
            name: "chat",
            replicas: 3,
            syncs: .notAlways("b does not"),
            nodes: [
                .init(
                    number: NodeNumber(rawValue: 4),
                    host: "a",
                    version: "1.0.0",
                    isThis: true,
                    state: .ready,
                    silence: .zero,
                    changesBehind: 0,
                    figures: NodeFigures(
                        connections: 7,
                        partitions: [.init(state: "ready", place: 8), .init(state: "disconnected", place: 5)]
                    )
                ),
                .init(
                    number: NodeNumber(rawValue: 9),
                    host: "b",
                    version: "1.0.0",
                    isThis: false,
                    state: .silent,
                    silence: .milliseconds(2_250),
                    changesBehind: 1,
                    figures: nil
                ),
            ],
            streams: [
                .init(
                    name: "CHAT_P000",
                    partition: 0,
                    newest: 10,
                    leader: "s1",
                    servers: [.init(name: "s1", isCurrent: true), .init(name: "s2", isCurrent: false)]
                ),
                .init(name: "CHAT_P001", partition: 1, newest: nil, leader: nil, servers: []),
            ]
        )
        let bench = try AdminBench(cluster: Reporter(report: report))
        #expect(
            try await bench.call(.GET, "cluster").text == """
                {"name":"chat","replicas":3,"syncs":"not_always","syncs_reason":"b does not","nodes":[\
                {"node":4,"host":"a","version":"1.0.0","this":true,"state":"ready","silent_seconds":0,"changes_behind":0,\
                "connections":7,"partitions":[{"partition":0,"state":"ready","behind":2},\
                {"partition":1,"state":"disconnected","behind":null}]},\
                {"node":9,"host":"b","version":"1.0.0","this":false,"state":"silent","silent_seconds":2.250,"changes_behind":1,\
                "connections":null,"partitions":null}],"streams":[\
                {"name":"CHAT_P000","partition":0,"available":true,"leader":"s1",\
                "servers":[{"name":"s1","current":true},{"name":"s2","current":false}]},\
                {"name":"CHAT_P001","partition":1,"available":false,"leader":null,"servers":[]}]}
                """
        )
    }
}
