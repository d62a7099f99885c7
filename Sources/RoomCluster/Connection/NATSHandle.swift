#if Cluster
import CNats
import NIOConcurrencyHelpers

/// A connection of the library's to one of the servers. All threads may use it.
final class NATSHandle: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer
    private let events: Events

    /// Connects, and blocks until then.
    ///
    /// - Parameter receive: is told of the connection's end, and of another one that the library makes in its place.
    init(
        _ access: NATSAccess,
        once: Bool,
        _ receive: @escaping @Sendable (NATSConnection.Event) -> Void
    ) throws(ClusterFailure) {
        try Self.loadLibrary()
        let options = try NATSOptions(access, once: once)
        let events = Events(receive)
        // The library may call as long as it has threads: it keeps the box, and closing empties it.
        let closure = Unmanaged.passRetained(events).toOpaque()
        natsOptions_SetDisconnectedCB(options.options, { _, closure in Events.tell(.disconnected, closure) }, closure)
        natsOptions_SetReconnectedCB(options.options, { _, closure in Events.tell(.reconnected, closure) }, closure)
        natsOptions_SetErrorHandler(options.options, { _, _, _, _ in }, nil)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options.options)
        guard status == NATS_OK, let connection else { throw Self.failure(status, access) }
        self.pointer = connection
        self.events = events
    }

    deinit { natsConnection_Destroy(self.pointer) }

    /// The events are told to somebody else from now on, or to nobody.
    func tell(_ receive: (@Sendable (NATSConnection.Event) -> Void)?) {
        self.events.receive.withLockedValue { $0 = receive }
    }

    private static func loadLibrary() throws(ClusterFailure) {
        guard let failure = CNatsLoad() else { return }
        throw ClusterFailure(
            .library,
            "a node of a cluster needs \(String(cString: CNatsFile)): on Debian, apt-get install libnats3.4"
                + " (\(String(cString: failure)))"
        )
    }

    private static func failure(_ status: natsStatus, _ access: NATSAccess) -> ClusterFailure {
        let servers = access.servers.joined(separator: ", ")
        let detail = "\(NATSOptions.text(of: status)): \(NATSOptions.lastError)"
        return switch status {
        case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED:
            ClusterFailure(
                .denied,
                "\(servers) does not let this node in: check its user and its credentials (\(detail))"
            )
        case NATS_SECURE_CONNECTION_REQUIRED:
            ClusterFailure(.tls, "\(servers) asks for TLS: give addresses as tls://host:4222 and the authorities")
        case NATS_SECURE_CONNECTION_WANTED:
            ClusterFailure(.tls, "\(servers) speaks no TLS: set it up in nats-server, or give addresses as nats://")
        case NATS_SSL_ERROR:
            ClusterFailure(.tls, "TLS with \(servers) fails: check authorities, certificate and names (\(detail))")
        default:
            ClusterFailure(.unreachable, "no server answers at \(servers): is nats-server running there? (\(detail))")
        }
    }

    /// What the library keeps of a connection's receiver.
    private final class Events: Sendable {
        let receive: NIOLockedValueBox<(@Sendable (NATSConnection.Event) -> Void)?>

        init(_ receive: @escaping @Sendable (NATSConnection.Event) -> Void) {
            self.receive = NIOLockedValueBox(receive)
        }

        static func tell(_ event: NATSConnection.Event, _ closure: UnsafeMutableRawPointer?) {
            guard let closure else { return }
            let events = Unmanaged<Events>.fromOpaque(closure).takeUnretainedValue()
            events.receive.withLockedValue { $0 }?(event)
        }
    }
}
#endif
