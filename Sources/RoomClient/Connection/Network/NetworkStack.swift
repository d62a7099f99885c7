import NIOCore
import NIOPosix

#if canImport(Network)
import NIOTransportServices
#endif

/// The way to the broker: who opens the connections, and on whose event loops.
struct NetworkStack {
    let connector: any Connector
    let group: any EventLoopGroup
    /// `nil` where nobody says that the network has changed.
    let network: (any NetworkWatch)?

    /// Network.framework on Apple systems, unless the app has chosen event loops that it cannot use; sockets elsewhere.
    ///
    /// - Throws: ``RoomClientError/Code/connectionFailed`` when the certificates cannot be read, or when the app was built without
    ///   the TLS that the address needs.
    init(to address: BrokerAddress, _ configuration: RoomClient.Configuration) throws(RoomClientError) {
        let certificates = configuration.trustedCertificates
        #if canImport(Network)
        let group = configuration.eventLoopGroup ?? NIOTSEventLoopGroup.singleton
        let isOfNetwork = NIOTSConnectionBootstrap(validatingGroup: group) != nil
        self.connector =
            isOfNetwork
            ? try NetworkConnector(address, trustedCertificates: certificates)
            : try SocketConnector(address, trustedCertificates: certificates)
        self.group = group
        self.network = PathWatch()
        #else
        self.connector = try SocketConnector(address, trustedCertificates: certificates)
        self.group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        self.network = nil
        #endif
    }
}
