import Foundation
import Logging
import NIOCore
import NIOPosix
import RoomCore
import RoomDelivery
import RoomHTTP
import RoomModel
import ServiceLifecycle

/// HTTP on its address and on the Unix socket of the admin side, each where it is on. One set of routes serves both.
struct HTTPSide: Sendable {
    private let tcp: HTTPServer?
    private let unix: HTTPServer?
    let unixPath: String?
    private let isTLS: Bool

    /// Binds what the configuration says; requests are answered from then on.
    ///
    /// - Parameter isReadOnly: there can be no socket in the data directory.
    /// - Throws: `StartError` where that cannot be.
    static func listen(
        _ configuration: ServerConfiguration,
        isReadOnly: Bool,
        tls: TLSCertificate?,
        front: (HostRule) -> HTTPFront,
        shards: [ShardRef],
        gate: ConnectionGate,
        accepts: AcceptLimit,
        group: MultiThreadedEventLoopGroup,
        webSockets: @escaping WebSocketAcceptor,
        events: @escaping EventStreamAcceptor
    ) async throws -> HTTPSide {
        let address = configuration.listen.http
        let options = HTTPListener.Options(configuration, tls: tls)
        let hosts =
            address?.isLoopback ?? true ? HostRule.loopback(and: configuration.listen.httpHosts) : HostRule.any
        let listener = HTTPListener(
            front: front(hosts),
            shards: shards,
            gate: gate,
            accepts: accepts,
            options: options,
            webSockets: webSockets,
            events: events
        )
        var tcp: HTTPServer?
        if let address {
            let other = "another address with --http HOST:PORT, or --http off"
            tcp = try await Self.starting("\(address)", port: address.port, other) {
                try await listener.listen(host: address.host, port: address.port, group: group)
            }
        }
        let socket = configuration.listen.adminSocket
        let path = isReadOnly && socket == .inDataDirectory ? nil : socket.path(with: configuration.storage)
        var unix: HTTPServer?
        if let path {
            let other = "another one with --admin-socket FILE, or --admin-socket off"
            unix = try await Self.starting(path, port: nil, other) {
                try await listener.listen(unixSocket: path, group: group)
            }
        }
        return HTTPSide(tcp: tcp, unix: unix, unixPath: path, isTLS: options.tls != nil)
    }

    private static func starting(
        _ place: String,
        port: Int?,
        _ other: String,
        _ listen: () async throws -> HTTPServer
    ) async throws -> HTTPServer {
        do {
            return try await listen()
        } catch {
            throw StartError(listeningOn: place, port: port, error, other: other)
        }
    }

    private var servers: [HTTPServer] { [self.tcp, self.unix].compactMap(\.self) }

    /// They end when `BrokerService` stops them, which may be a moment before it ends the group itself.
    var services: [ServiceGroupConfiguration.ServiceConfiguration] {
        self.servers.map { .init($0, successTerminationBehavior: .ignore) }
    }

    private var address: ListenAddress? { ListenAddress(bound: self.tcp?.address) }

    /// By which this machine reaches HTTP; `nil`: it is off.
    var url: String? { self.address.map { "\(self.isTLS ? "https" : "http")://\($0.reachable)" } }

    private var webSocketURL: String? {
        self.address.map { "\(self.isTLS ? "wss" : "ws")://\($0.reachable)/v3/websocket" }
    }

    /// For the log: `http.address`, `websocket.url` and `admin.socket`.
    var places: Logger.Metadata {
        var places: Logger.Metadata = [:]
        if let address { places["http.address"] = "\(address)" }
        if let webSocketURL { places["websocket.url"] = "\(webSocketURL)" }
        if let unixPath { places["admin.socket"] = "\(unixPath)" }
        return places
    }

    /// Nothing new is taken, but for questions about the broker's health.
    func drain() {
        for server in self.servers { server.drain() }
    }

    /// Returns once all that was asked is answered.
    func untilEmpty() async {
        for server in self.servers { await server.untilEmpty() }
    }

    func stop() async {
        for server in self.servers { await server.stop() }
    }
}

extension ListenAddress {
    /// Where this machine reaches it: nobody can connect to "all addresses".
    fileprivate var reachable: ListenAddress {
        switch self.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: self.port)
        case "::": ListenAddress(host: "::1", port: self.port)
        default: self
        }
    }
}
