import NIOCore
import NIOPosix
import RoomDelivery
import RoomModel
import Testing

/// With sockets of the system, since it is the system that hands the options on.
struct InheritedOptionsTests {
    @Test func `a client's socket has the options of the listening one`() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let accepted = group.next().makePromise(of: [SocketOptionValue].self)
        let options = InheritedTCPOptions.all(userTimeout: .seconds(7))
        let listener = try await options.reduce(ServerBootstrap(group: group)) {
            $0.serverChannelOption($1.option, value: $1.value)
        }
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                guard let options = channel.syncOptions else { throw ChannelError.ioOnClosedChannel }
                var values = [
                    try options.getOption(.tcpOption(.tcp_nodelay)),
                    try options.getOption(.socketOption(.so_keepalive)),
                ]
                #if os(Linux)
                values.append(try options.getOption(.tcpUserTimeout))
                #endif
                accepted.succeed(values)
            }
        }
        .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(listener.localAddress)
        let client = try await ClientBootstrap(group: group).connect(to: address).get()
        let values = try await accepted.futureResult.get()
        #expect(values.prefix(2).allSatisfy { $0 != 0 })
        #expect(values.dropFirst(2).allSatisfy { $0 == 7_000 })
        try await client.close()
        try await listener.close()
    }

    @Test(arguments: ["192.0.2.1", "127.0.0.1", "2001:db8::1:2", "::1", "::ffff:192.0.2.1"])
    func `the address of a socket is the one of its text`(text: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 7_000)
        #expect(address.address == IPAddress(text))
    }

    @Test func `a unix socket has no address`() throws {
        #expect(try SocketAddress(unixDomainSocketPath: "socket").address == nil)
    }
}
