public import Logging
import NIOCore
import RoomModel

extension RoomClient {
    /// Creates a client. It connects when the app makes the first request.
    ///
    /// - Parameters:
    ///   - url: the broker: `tcp://host:port`, or `tls://host:port` for an encrypted connection; the default port is 10000.
    ///     A broker behind a web proxy: `ws://host:port`, or `wss://host:port` for an encrypted WebSocket, with the ports 80
    ///     and 443 and the path `/v3/websocket` as defaults.
    ///   - channel: the id of the channel that the rooms belong to.
    ///   - member: the data that the other members of the rooms see, such as a ``MemberProfile``; at most 8 KiB of JSON. `nil`:
    ///     they see only the `client_id`.
    ///   - token: the access token, for channels that require or accept one.
    ///   - configuration: timeouts, limits and TLS.
    ///   - logger: gets the life of the connection and of the rooms, at the level `debug`. No message, member data or token is
    ///     logged. `nil`: nothing is logged.
    /// - Throws: ``RoomClientError/Code/invalidURL``, also if one of ``Configuration/otherURLs`` has another scheme;
    ///   ``RoomClientError/Code/encodingFailed`` if the member data cannot be
    ///   written as JSON; ``RoomClientError/Code/connectionFailed`` if the trusted certificates cannot be read, or if the URL needs TLS
    ///   and the app was built without it.
    public convenience init(
        _ url: String,
        channel: String,
        member: (any Encodable)? = nil,
        token: TokenSource = .none,
        configuration: Configuration = Configuration(),
        logger: Logger? = nil
    ) throws(RoomClientError) {
        let address = try BrokerAddress(url)
        let stack = try NetworkStack(to: address, configuration)
        self.init(
            identity: try ClientSession.Identity(
                addresses: [address] + address.others(configuration.otherURLs),
                channel: channel,
                member: member,
                token: token
            ),
            configuration: configuration,
            connector: stack.connector,
            loop: stack.group.next(),
            network: stack.network,
            log: ClientLog(logger)
        )
    }
}

extension BrokerAddress {
    /// The other nodes, which are reached in the same way.
    fileprivate func others(_ urls: [String]) throws(RoomClientError) -> [BrokerAddress] {
        var addresses: [BrokerAddress] = []
        for url in urls {
            let other = try BrokerAddress(url)
            guard other.usesTLS == self.usesTLS, (other.webSocketPath == nil) == (self.webSocketPath == nil) else {
                throw RoomClientError(.invalidURL, "\(url) needs the scheme of the client's own URL")
            }
            addresses.append(other)
        }
        return addresses
    }
}

extension ClientSession.Identity {
    init(
        addresses: [BrokerAddress],
        channel: String,
        member: (any Encodable)?,
        token: TokenSource
    ) throws(RoomClientError) {
        var memberData: JSON?
        if let member { memberData = try JSON(encoding: member) }
        self.init(addresses: addresses, channel: channel, memberData: memberData, token: token)
    }
}
