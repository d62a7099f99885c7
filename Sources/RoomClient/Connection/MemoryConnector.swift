package import Logging
package import NIOCore

/// Connections without sockets: the other end of each is a channel in memory.
private struct MemoryConnector: Connector {
    let open: RoomClient.OpenInMemory

    func connect(
        to address: BrokerAddress,
        on loop: any EventLoop,
        timeout: TimeAmount,
        handler: @escaping @Sendable () -> LinkHandler
    ) -> EventLoopFuture<any Channel> {
        self.open { handler() }
    }
}

extension RoomClient {
    /// Opens a channel to the broker, and adds the handler of the client behind that of the broker.
    package typealias OpenInMemory =
        @Sendable (
            _ handler: @escaping @Sendable () -> any ChannelHandler
        ) -> EventLoopFuture<any Channel>

    /// Creates a client whose connections are no sockets; for `RoomClientTesting`.
    ///
    /// - Parameter url: names the broker in errors and in the log.
    package convenience init(
        _ url: String,
        channel: String,
        member: (any Encodable)?,
        token: TokenSource,
        configuration: Configuration,
        logger: Logger?,
        loop: any EventLoop,
        open: @escaping OpenInMemory
    ) throws(RoomClientError) {
        let address = try BrokerAddress(url)
        self.init(
            identity: try ClientSession.Identity(addresses: [address], channel: channel, member: member, token: token),
            configuration: configuration,
            connector: MemoryConnector(open: open),
            loop: loop,
            log: ClientLog(logger)
        )
    }
}
