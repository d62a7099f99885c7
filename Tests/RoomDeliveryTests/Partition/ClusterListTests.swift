import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What administrators see of a cluster, whichever node they ask.
struct ClusterListTests {
    @Test @OneThread func `the rooms and members of all nodes are listed on each`() async {
        let nodes = TestBroker.twoNodes(of: MemoryCluster())
        let room = "observable-room"
        _ = nodes[0].connect().joined(room)
        _ = nodes[1].connect().joined("room")
        for node in nodes {
            let page = await node.ask { await $0.rooms(in: .make(), RoomQuery()) }
            #expect(page.rooms.map(\.name) == [room, "room"])
            #expect(await node.ask { await $0.members(of: .make(room)) }.count == 1)
            #expect(node.channel()?.usage.rooms == 2)
        }
    }
}
