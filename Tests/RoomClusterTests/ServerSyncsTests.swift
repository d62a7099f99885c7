import NIOCore
import RoomCore
import Testing

@testable import RoomCluster

struct ServerSyncsTests {
    private func server(_ name: String, always: Bool = true, of size: Int = 3) -> ServerMonitoring.Server {
        let state = ServerMonitoring.State(id: name, syncsAlways: always, clusterSize: size)
        return ServerMonitoring.Server(address: "http://\(name):8222", answer: .success(state))
    }

    @Test func `all servers of the cluster have to say so`() {
        #expect(ServerSyncs([]) == .unknown)
        #expect(ServerSyncs([self.server("a", of: 1)]) == .always)
        #expect(ServerSyncs(["a", "b", "c"].map { self.server($0) }) == .always)
        #expect(
            ServerSyncs(["a", "b", "b"].map { self.server($0) })
                == .notAlways("--cluster-monitoring names 2 of 3 nats-servers")
        )
        #expect(
            ServerSyncs([self.server("a"), self.server("b", always: false), self.server("c")])
                == .notAlways("the nats-server at http://b:8222 has no sync_interval: always")
        )
        let silent = ServerMonitoring.Server(
            address: "http://c:8222",
            answer: .failure(.init(text: "it does not answer"))
        )
        #expect(
            ServerSyncs([self.server("a"), self.server("b"), silent])
                == .notAlways(
                    "the nats-server at http://c:8222 cannot be asked whether it syncs always: it does not answer"
                )
        )
    }

    @Test(
        arguments: [
            (
                #"{"server_id":"N1","config":{"sync_interval":120000000000,"sync_always":true},"meta_cluster":{"cluster_size":3}}"#,
                true, 3
            ),
            (#"{"server_id":"N1","config":{"sync_interval":120000000000}}"#, false, 1),
            (#"{"server_id":"N1","disabled":true,"config":{}}"#, false, 1),
        ]
    )
    func `a server tells it in its page jsz`(page: String, always: Bool, size: Int) {
        let state = ServerMonitoring.State(page: ByteBuffer(string: page))
        #expect(state == ServerMonitoring.State(id: "N1", syncsAlways: always, clusterSize: size))
    }

    @Test(arguments: ["", "[]", "{}", #"{"server_id":7}"#])
    func `another page tells nothing`(page: String) {
        #expect(ServerMonitoring.State(page: ByteBuffer(string: page)) == nil)
    }

    @Test func `where nobody listens the reason is told`() async {
        let syncs = await ServerMonitoring(addresses: ["http://127.0.0.1:1"]).syncs()
        guard case .notAlways(let reason) = syncs else {
            Issue.record("\(syncs)")
            return
        }
        #expect(reason.hasPrefix("the nats-server at http://127.0.0.1:1 cannot be asked whether it syncs always: "))
        #expect(reason.contains("refused"))
    }
}
