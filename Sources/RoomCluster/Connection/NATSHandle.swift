#if Cluster
import CNats

/// A connection of the library's to one of the servers. All threads may use it.
final class NATSHandle: Sendable {
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Connects, and blocks until then.
    init(_ access: NATSAccess, once: Bool, _ events: NATSEvents) throws(ClusterFailure) {
        try Self.loadLibrary()
        let options = try NATSOptions(access, once: once)
        events.set(on: options.options)
        natsOptions_SetErrorHandler(options.options, { _, _, _, _ in }, nil)
        var connection: OpaquePointer?
        let status = natsConnection_Connect(&connection, options.options)
        guard status == NATS_OK, let connection else { throw Self.failure(status, access) }
        self.pointer = connection
    }

    deinit { natsConnection_Destroy(self.pointer) }

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
}
#endif
