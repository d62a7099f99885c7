import NIOCore
import NIOPosix
import RoomModel

extension RoomClient {
    /// Creates a client without member data. It connects when the app makes the first request.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the default port is 10000.
    ///     A broker behind a web proxy: `ws://host:port`, or `wss://host:port` for an encrypted WebSocket, with the ports 80
    ///     and 443 and the path `/v3/websocket` as defaults.
    ///   - channel: the id of the channel that the rooms belong to.
    ///   - token: returns access tokens, for channels that require or accept them.
    ///   - configuration: timeouts, limits and TLS.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/connectionFailed`` if the trusted certificates
    ///   cannot be read.
    public convenience init(
        _ url: String,
        channel: String,
        token: TokenProvider? = nil,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        try self.init(url, channel: channel, memberData: nil, token: TokenSource(token), configuration: configuration)
    }

    /// Creates a client with member data, which the other members of its rooms see.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the default port is 10000.
    ///     A broker behind a web proxy: `ws://host:port`, or `wss://host:port` for an encrypted WebSocket, with the ports 80
    ///     and 443 and the path `/v3/websocket` as defaults.
    ///   - channel: the id of the channel that the rooms belong to.
    ///   - member: the data that the other members see, such as a ``MemberProfile``; at most 2 KiB of JSON.
    ///   - token: returns access tokens, for channels that require or accept them.
    ///   - configuration: timeouts, limits and TLS.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/encodingFailed`` if the member data cannot be
    ///   written as JSON; ``RoomClientError/Code/connectionFailed`` if the trusted certificates cannot be read.
    public convenience init<MemberData: Encodable>(
        _ url: String,
        channel: String,
        member: MemberData,
        token: TokenProvider? = nil,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        let source = TokenSource(token)
        try self.init(url, channel: channel, member: member, source: source, configuration: configuration)
    }

    /// Creates a client without member data that authenticates with one token.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the default port is 10000.
    ///     A broker behind a web proxy: `ws://host:port`, or `wss://host:port` for an encrypted WebSocket, with the ports 80
    ///     and 443 and the path `/v3/websocket` as defaults.
    ///   - channel: the id of the channel that the rooms belong to.
    ///   - token: an access token without a `client` claim, because the client has no id before it connects. After it has
    ///     expired, the client cannot reconnect; use a ``TokenProvider`` to avoid that.
    ///   - configuration: timeouts, limits and TLS.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/connectionFailed`` if the trusted certificates
    ///   cannot be read.
    public convenience init(
        _ url: String,
        channel: String,
        token: String,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        try self.init(url, channel: channel, memberData: nil, token: .fixed(token), configuration: configuration)
    }

    /// Creates a client with member data that authenticates with one token.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the default port is 10000.
    ///     A broker behind a web proxy: `ws://host:port`, or `wss://host:port` for an encrypted WebSocket, with the ports 80
    ///     and 443 and the path `/v3/websocket` as defaults.
    ///   - channel: the id of the channel that the rooms belong to.
    ///   - member: the data that the other members see, such as a ``MemberProfile``; at most 2 KiB of JSON.
    ///   - token: an access token without a `client` claim, because the client has no id before it connects. After it has
    ///     expired, the client cannot reconnect; use a ``TokenProvider`` to avoid that.
    ///   - configuration: timeouts, limits and TLS.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/encodingFailed`` if the member data cannot be
    ///   written as JSON; ``RoomClientError/Code/connectionFailed`` if the trusted certificates cannot be read.
    public convenience init<MemberData: Encodable>(
        _ url: String,
        channel: String,
        member: MemberData,
        token: String,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        let source = TokenSource.fixed(token)
        try self.init(url, channel: channel, member: member, source: source, configuration: configuration)
    }

    private convenience init(
        _ url: String,
        channel: String,
        member: some Encodable,
        source: TokenSource,
        configuration: Configuration
    ) throws(RoomClientError) {
        let memberData = try JSON(encoding: member)
        try self.init(url, channel: channel, memberData: memberData, token: source, configuration: configuration)
    }

    private convenience init(
        _ url: String,
        channel: String,
        memberData: JSON?,
        token: TokenSource,
        configuration: Configuration
    ) throws(RoomClientError) {
        let address = try BrokerAddress(url)
        let group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        self.init(
            identity: ClientSession.Identity(
                address: address,
                channel: channel,
                memberData: memberData,
                token: token
            ),
            configuration: configuration,
            connector: try SocketConnector(address, trustedCertificates: configuration.trustedCertificates),
            loop: group.next()
        )
    }
}
