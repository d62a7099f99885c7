import NIOCore
import NIOPosix
import Testing

@testable import RoomServer

#if os(Linux)
import Foundation

@Suite struct ListeningProcessTests {
    /// More than fit into one page of the system's table.
    @Test func `of many ports each has its holder`() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        var listeners: [any Channel] = []
        for _ in 0..<60 {
            listeners.append(try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = listeners.compactMap { $0.localAddress?.port }
        let own = ProcessInfo.processInfo.processIdentifier
        for port in ports { #expect(ListeningProcess.holder(ofPort: port)?.id == own) }
        for listener in listeners { try await listener.close() }
        #expect(ports.count == 60)
    }
}
#endif
