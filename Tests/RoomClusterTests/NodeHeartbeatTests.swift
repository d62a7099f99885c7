import NIOCore
import RoomCore
import Testing

@testable import RoomCluster

struct NodeHeartbeatTests {
    @Test func `a heartbeat is read as it was written`() {
        let heartbeat = NodeHeartbeat(
            node: NodeNumber(rawValue: 2),
            host: "b\"",
            version: "0.1.0",
            isReady: true,
            control: 7
        )
        #expect(NodeHeartbeat(heartbeat.bytes) == heartbeat)
        #expect(heartbeat.records == .newest)
        #expect(NodeHeartbeat(.init(string: #"{"node":-1,"host":"a","version":"1","ready":true,"control":1}"#)) == nil)
        let newer = #"{"node":1,"host":"a","version":"1","ready":true,"control":1,"more":1}"#
        // what it can read the first release did not say, and a newer one may read what is not known here
        #expect(NodeHeartbeat(.init(string: newer))?.records == .first)
        let most = #"{"node":1,"host":"a","version":"1","ready":true,"control":1,"records":99}"#
        #expect(NodeHeartbeat(.init(string: most))?.records == .newest)
    }
}
