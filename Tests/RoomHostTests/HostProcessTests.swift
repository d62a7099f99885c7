import NIOCore
import NIOPosix
import Testing

@testable import RoomHost

#if os(Linux)
import Foundation

@Suite struct HostProcessTests {
    /// More than fit into one page of the system's table.
    @Test func `of many ports each has its holder`() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        var listeners: [any Channel] = []
        for _ in 0..<60 {
            listeners.append(try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = listeners.compactMap { $0.localAddress?.port }
        for port in ports { #expect(HostProcess.holder(ofPort: port) == .own) }
        #expect(Set(ports).isSubset(of: HostProcess.own.ports))
        for listener in listeners { try await listener.close() }
        #expect(ports.count == 60)
    }

    @Test func `only sockets that listen are taken from the kernel's table`() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:2710 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 52311 1 0000000000000000 100 0 0 10 0
               1: 0100007F:2711 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 52312 1 0000000000000000 100 0 0 10 0
               2: 0100007F:2710 0100007F:A1B2 01 00000000:00000000 00:00000000 00000000  1000        0 52400 1 0000000000000000 20 4 30 10 -1
            """
        #expect(
            ListeningSocket.all(in: table) == [
                ListeningSocket(port: 10_000, name: "socket:[52311]"),
                ListeningSocket(port: 10_001, name: "socket:[52312]"),
            ]
        )
        #expect(ListeningSocket.all(in: "").isEmpty)
    }

    @Test(arguments: [0, -1, Int32.max])
    func `a process that is not there is not measured`(id: Int32) {
        #expect(!HostProcess(id: id).isMeasurable)
        #expect(HostProcess.own.isMeasurable && HostProcess.own.runsThisProgram)
    }
}
#endif
