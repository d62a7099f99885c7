import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// What the nodes of a cluster know of their own clients, put together.
struct NodeStatisticsTests {
    private static let process: [JSONTree.Field] = [
        .init("version", .string("1.0.0")), .init("uptime_seconds", .number("7.5")),
        .init("cpu_seconds", .number("1.5")), .init("resident_bytes", .null), .init("commit_p50_seconds", .null),
    ]

    private static func statistics(connections: Int, lag: Int, percent: Int) throws -> NodeStatistics {
        var statistics = BrokerStatistics()
        statistics.connections = connections
        statistics.deliveries = 10 * connections
        statistics.channels = [.init(id: .make(), connections: connections, rooms: 1, publishes: 0)]
        var slow = SlowMembers()
        for number in 0..<20 {
            let member = SlowMembers.Member(room: .make("r"), id: ClientID("ann"), clientData: nil, lag: lag + number)
            slow.add(member, naming: NodeStatistics.named)
        }
        let busy = BusyConnections(rooms: [.init(room: .make("r"), percent: percent)])
        return NodeStatistics(statistics, slow, busy, process: Self.process)
    }

    @Test func `another node reads them as they were written`() throws {
        let statistics = try Self.statistics(connections: 3, lag: 5, percent: 40)
        let tree = try JSONTree.read(statistics.tree.bytes)
        #expect(NodeStatistics(tree)?.tree == tree)
        #expect(NodeStatistics(.object([])) == nil)
    }

    @Test func `figures are added up, and of the lists the worst stay`() throws {
        var all = try Self.statistics(connections: 3, lag: 100, percent: 40)
        all.add(try Self.statistics(connections: 4, lag: 104, percent: 60))
        let tree = all.tree
        #expect(
            tree["connections"] == .integer(7) && tree["deliveries"] == .integer(70) && tree["slow"] == .integer(40)
        )
        #expect(all.connections == [ChannelID.make().text: 7])
        #expect(
            all.lists[.slowest]?.map { $0["lag"]?.numberValue } == [123, 122, 121, 120, 119, 119, 118, 118, 117, 117]
        )
        // a room that is busy on two nodes is one
        #expect(all.lists[.rooms]?.map { $0["loop_percent"]?.numberValue } == [60])
    }

    // MARK: The admin API

    /// Another node that says this.
    private struct Other: ClusterReporter {
        let asked = NIOLockedValueBox<[NodeQuery]>([])
        let document: String?

        func clusterReport() async -> ClusterReport {
            ClusterReport(name: "rl", replicas: 1, syncs: .always, nodes: [], streams: [])
        }

        func query(_ query: NodeQuery) async -> [NodeView] {
            self.asked.withLockedValue { $0.append(query) }
            let bytes = self.document.map { ByteBuffer(string: $0) }
            return [NodeView(number: NodeNumber(rawValue: 9), host: "b", document: bytes)]
        }

        func node(below level: RecordLevel) -> NodeView? { nil }
        var thisNode: NodeView { NodeView(number: NodeNumber(rawValue: 4), host: "a", document: nil) }
    }

    @Test func `statistics are those of all nodes, and each is shown`() async throws {
        let other = try Self.statistics(connections: 4, lag: 1, percent: 1).tree.text
        let text = try await AdminBench(cluster: Other(document: other)).call(.GET, "statistics").text
        #expect(text.contains(#","connections":4,"rooms":0,"members":0,"slow":20,"#))
        #expect(text.contains(#"{"node":4,"host":"a","this":true,"connections":0,"#))
        #expect(text.contains(#"{"node":9,"host":"b","this":false,"connections":4,"deliveries":40,"version":"1.0.0""#))
    }

    @Test func `a node that does not answer is shown without figures`() async throws {
        let text = try await AdminBench(cluster: Other(document: nil)).call(.GET, "statistics").text
        #expect(
            text.contains(#"{"node":9,"host":"b","this":false,"connections":null,"deliveries":null,"version":null"#)
        )
    }

    @Test func `a member of another node is shown with its connection there`() async throws {
        let other = Other(
            document: #"[{"id":"ann","client_data":{"name":"Ann"},"connection":{"address":"192.0.2.1"}}]"#
        )
        let bench = try AdminBench(cluster: other)
        let room = try RoomKey(channel: #require(ChannelID("talk")), room: RoomName("r"))
        let members = ["ann", "bob"].map {
            MemberDetail(id: ClientID($0), clientData: nil, authData: nil, connection: nil)
        }
        bench.rooms.state.withLockedValue { $0.members[room] = members }
        let list = try await bench.call(.GET, "channels/talk/rooms/r/members").text
        #expect(list.contains(#"{"id":"ann","client_data":{"name":"Ann"},"connection":{"address":"192.0.2.1"}}"#))
        #expect(list.contains(#"{"id":"bob","connection":null}"#))
        let ann = try await bench.call(.GET, "channels/talk/rooms/r/members/ann").text
        #expect(ann.contains(#""address":"192.0.2.1""#))
        #expect(
            other.asked.withLockedValue(\.self) == [
                .members([ClientID("ann"), ClientID("bob")], of: room), .members([ClientID("ann")], of: room),
            ]
        )
    }

    @Test func `a trace counts the subscribers of all nodes`() async throws {
        let bench = try AdminBench(cluster: Other(document: #"{"passed":2,"lagging":[{"id":"ann","lag":7}]}"#))
        let trace = MessageTrace(
            seq: 1,
            epoch: Epoch(rawValue: 1),
            isStored: true,
            passed: 3,
            lagging: [.init(id: ClientID("bob"), lag: 1)]
        )
        bench.rooms.state.withLockedValue { $0.trace = trace }
        let path = "trace/\(UniqueID.make(1))?channel=talk&room=r"
        let text = try await bench.call(.GET, path).text
        #expect(text.contains(#""passed":5,"lagging":[{"id":"ann","lag":7},{"id":"bob","lag":1}]"#))
    }
}
