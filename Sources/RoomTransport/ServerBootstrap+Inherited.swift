package import NIOCore
package import NIOPosix

extension ServerBootstrap {
    /// Sets on the listening socket what the sockets of its clients inherit, which is a system call for each of them less.
    ///
    /// - Parameter userTimeout: how long sent bytes may stay unacknowledged before the kernel gives a connection up;
    ///   Linux only.
    package func inheritedTCPOptions(userTimeout: TimeAmount) -> ServerBootstrap {
        let bootstrap =
            self
            .serverChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .serverChannelOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
        return bootstrap.serverChannelOption(.tcpUserTimeout, value: userTimeout.wholeMilliseconds)
        #else
        return bootstrap
        #endif
    }
}

#if os(Linux)
extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// TCP_USER_TIMEOUT (tcp(7)), in milliseconds.
    package static var tcpUserTimeout: Self { .tcpOption(.init(rawValue: 18)) }
}
#endif

extension TimeAmount {
    package var wholeMilliseconds: SocketOptionValue { .init(clamping: self.nanoseconds / 1_000_000) }
}
