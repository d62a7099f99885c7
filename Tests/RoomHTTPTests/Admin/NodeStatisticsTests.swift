import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

/// What the nodes of a cluster know of their own clients, put together.
struct NodeStatisticsTests {
    private static func statistics(connections: Int, lag: Int, percent: Int) throws -> NodeStatistics {
        var statistics = BrokerStatistics()
        statistics.connections = connections
        statistics.deliveries = 10 * connections
        statistics.channels = [.init(id: .make(), connections: connections, rooms: 1, publishes: 0)]
        var slow = SlowMembers()
        for number in 0..<20 {
            var member = AdminStatistics.SlowMember(placeholder: ())
            (member.channel, member.room, member.id, member.lag) = ("test", "r", "ann", lag + number)
            slow.add(member, naming: NodeStatistics.named)
        }
        let busy = BusyConnections(rooms: [.init(room: .make("r"), percent: percent)])
        var process = NodeProcess()
        (process.version, process.uptimeSeconds, process.cpuSeconds) = ("1.0.0", 7.5, 1.5)
        return NodeStatistics(statistics, slow, busy, process: process)
    }

    @Test func `another node reads them as they were written`() throws {
        let statistics = try Self.statistics(connections: 3, lag: 5, percent: 40)
        #expect(try NodeStatistics(reading: statistics.json, names: NodeStatistics.names) == statistics)
        #expect(throws: FieldFault.self) {
            try NodeStatistics(reading: ByteBuffer(string: "{}"), names: NodeStatistics.names)
        }
    }

    @Test func `figures are added up, and of the lists the worst stay`() throws {
        var all = try Self.statistics(connections: 3, lag: 100, percent: 40)
        all.add(try Self.statistics(connections: 4, lag: 104, percent: 60))
        #expect(all.connections == 7 && all.deliveries == 70 && all.slow == 40)
        #expect(all.channels == [ChannelID.make().text: 7])
        #expect(all.slowest.map(\.lag) == [123, 122, 121, 120, 119, 119, 118, 118, 117, 117])
        // a room that is busy on two nodes is one
        #expect(all.busiestRooms.map(\.loopPercent) == [60])
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
        let other = try Self.statistics(connections: 4, lag: 1, percent: 1).json
        let text = try await AdminBench(cluster: Other(document: String(buffer: other))).call(.GET, "statistics").text
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
        let connection =
            #"{"address":"192.0.2.1","wire_format":"json","connected_at":"2026-11-21T15:12:07.120Z","lag":0,"queued_bytes":7}"#
        let ann = #"{"id":"ann","client_data":{"name":"Ann"},"connection":\#(connection)}"#
        let other = Other(document: "[\(ann)]")
        let bench = try AdminBench(cluster: other)
        let room = try RoomKey(channel: #require(ChannelID("talk")), room: RoomName("r"))
        let members = ["ann", "bob"].map { AdminMember(ClientID($0)) }
        bench.rooms.state.withLockedValue { $0.members[room] = members }
        let list = try await bench.call(.GET, "channels/talk/rooms/r/members").text
        #expect(list.contains(ann))
        #expect(list.contains(#"{"id":"bob","connection":null}"#))
        #expect(try await bench.call(.GET, "channels/talk/rooms/r/members/ann").text == ann)
        #expect(
            other.asked.withLockedValue(\.self) == [
                .members([ClientID("ann"), ClientID("bob")], of: room), .members([ClientID("ann")], of: room),
            ]
        )
    }

    @Test func `a trace counts the subscribers of all nodes`() async throws {
        let document =
            #"{"id":"i","channel":"talk","room":"r","time":"2026-11-21T15:12:07.120Z","epoch":"0000000000000001","seq":1,"#
            + #""stored":true,"passed":2,"lagging":[{"id":"ann","lag":7}]}"#
        let bench = try AdminBench(cluster: Other(document: document))
        var trace = AdminTrace(placeholder: ())
        (trace.seq, trace.passed, trace.lagging) = (1, 3, [.init(id: "bob", lag: 1)])
        bench.rooms.state.withLockedValue { [trace] in $0.trace = trace }
        let path = "trace/\(UniqueID.make(1))?channel=talk&room=r"
        let text = try await bench.call(.GET, path).text
        #expect(text.contains(#""passed":5,"lagging":[{"id":"ann","lag":7},{"id":"bob","lag":1}]"#))
    }
}
