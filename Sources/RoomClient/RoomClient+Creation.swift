import NIOCore
import NIOPosix
import RoomModel

extension RoomClient {
    /// A client without member data.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the port is 10000 if left out.
    ///   - channel: the channel that the rooms are in.
    ///   - token: where access tokens come from, for channels that want them.
    ///   - configuration: what can be tuned.
    /// - Throws: ``RoomClientError/Code/invalidURL``, or ``RoomClientError/Code/connectionFailed`` where the trusted
    ///   certificates cannot be read.
    public convenience init(
        _ url: String,
        channel: String,
        token: TokenProvider? = nil,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        try self.init(url, channel: channel, memberData: nil, token: TokenSource(token), configuration: configuration)
    }

    /// A client that tells the other members of its rooms something about itself.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the port is 10000 if left out.
    ///   - channel: the channel that the rooms are in.
    ///   - member: what others see of this member, such as a ``MemberProfile``; at most 2 KiB of JSON.
    ///   - token: where access tokens come from, for channels that want them.
    ///   - configuration: what can be tuned.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/encodingFailed`` for the member data;
    ///   ``RoomClientError/Code/connectionFailed`` where the trusted certificates cannot be read.
    public convenience init<MemberData: Encodable>(
        _ url: String,
        channel: String,
        member: MemberData,
        token: TokenProvider? = nil,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        let memberData = try JSON(encoding: member)
        try self.init(
            url,
            channel: channel,
            memberData: memberData,
            token: TokenSource(token),
            configuration: configuration
        )
    }

    /// A client without member data that shows one token.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the port is 10000 if left out.
    ///   - channel: the channel that the rooms are in.
    ///   - token: an access token without a `client` claim, because the client has no id before it connects. Once it has
    ///     expired the client does not come back; one with a ``TokenProvider`` does.
    ///   - configuration: what can be tuned.
    /// - Throws: ``RoomClientError/Code/invalidURL``, or ``RoomClientError/Code/connectionFailed`` where the trusted
    ///   certificates cannot be read.
    public convenience init(
        _ url: String,
        channel: String,
        token: String,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        try self.init(url, channel: channel, memberData: nil, token: .fixed(token), configuration: configuration)
    }

    /// A client that shows one token, and tells the other members of its rooms something about itself.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the port is 10000 if left out.
    ///   - channel: the channel that the rooms are in.
    ///   - member: what others see of this member, such as a ``MemberProfile``; at most 2 KiB of JSON.
    ///   - token: an access token without a `client` claim, because the client has no id before it connects. Once it has
    ///     expired the client does not come back; one with a ``TokenProvider`` does.
    ///   - configuration: what can be tuned.
    /// - Throws: ``RoomClientError/Code/invalidURL``; ``RoomClientError/Code/encodingFailed`` for the member data;
    ///   ``RoomClientError/Code/connectionFailed`` where the trusted certificates cannot be read.
    public convenience init<MemberData: Encodable>(
        _ url: String,
        channel: String,
        member: MemberData,
        token: String,
        configuration: Configuration = Configuration()
    ) throws(RoomClientError) {
        let memberData = try JSON(encoding: member)
        try self.init(
            url,
            channel: channel,
            memberData: memberData,
            token: .fixed(token),
            configuration: configuration
        )
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
            identity: ClientCore.Identity(
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
