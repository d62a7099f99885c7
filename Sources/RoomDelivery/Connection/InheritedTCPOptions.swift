package import NIOCore

/// Options that are set on a listening socket because the sockets of its clients inherit them: each saves a system call for
/// each client.
package enum InheritedTCPOptions {
    package typealias Option = (option: ChannelOptions.Types.SocketOption, value: SocketOptionValue)

    /// - Parameter userTimeout: how long sent bytes may stay unacknowledged before the kernel gives a connection up;
    ///   Linux only.
    package static func all(userTimeout: TimeAmount) -> [Option] {
        var all: [Option] = [(.tcpOption(.tcp_nodelay), 1), (.socketOption(.so_keepalive), 1)]
        #if os(Linux)
        all.append((.tcpUserTimeout, userTimeout.wholeMilliseconds))
        #endif
        return all
    }
}

#if os(Linux)
extension ChannelOption where Self == ChannelOptions.Types.SocketOption {
    /// TCP_USER_TIMEOUT (tcp(7)), in milliseconds.
    package static var tcpUserTimeout: Self { .tcpOption(.init(rawValue: 18)) }
}

extension TimeAmount {
    package var wholeMilliseconds: SocketOptionValue { .init(clamping: self.nanoseconds / 1_000_000) }
}
#endif
