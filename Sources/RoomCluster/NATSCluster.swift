#if Cluster
import NIOConcurrencyHelpers
package import NIOCore

/// A node's connection to the servers that keep the cluster's log, and the streams of that log.
package final class NATSCluster: Sendable {
    private let settings: StreamSettings
    private let incarnation: String
    private let connection: NATSConnection
    private let logs: NIOLockedValueBox<[StreamLog]>

    /// Connects; makes the streams that are missing, and checks those that are there.
    ///
    /// - Parameter incarnation: names this process among all that ever were in the cluster: digits or letters.
    package static func open(
        _ access: NATSAccess,
        _ settings: StreamSettings,
        incarnation: String
    ) async throws(ClusterFailure) -> NATSCluster {
        try await ClusterStreams.checkVersions(access)
        let logs = NIOLockedValueBox<[StreamLog]>([])
        let connection = try await NATSConnection.connect(access) { event in
            for log in logs.withLockedValue({ $0 }) { log.connectionChanged(event) }
        }
        do throws(ClusterFailure) {
            let streams = ClusterStreams(settings, connection)
            try await streams.checkJetStream()
            try await streams.ensure()
        } catch {
            connection.close()
            throw error
        }
        return NATSCluster(settings, incarnation: incarnation, connection, logs)
    }

    private init(
        _ settings: StreamSettings,
        incarnation: String,
        _ connection: NATSConnection,
        _ logs: NIOLockedValueBox<[StreamLog]>
    ) {
        self.settings = settings
        self.incarnation = incarnation
        self.connection = connection
        self.logs = logs
    }

    /// The log of a partition; what is followed comes on the event loop.
    package func partition(_ index: Int, on loop: any EventLoop) -> StreamLog {
        self.log(self.settings.name.partition(index), on: loop)
    }

    /// The log of changes of channels, tokens and limits.
    package func control(on loop: any EventLoop) -> StreamLog { self.log(self.settings.name.control, on: loop) }

    private func log(_ name: StreamName, on loop: any EventLoop) -> StreamLog {
        let log = StreamLog(name, of: self.settings.name, incarnation: self.incarnation, self.connection, on: loop)
        self.logs.withLockedValue { $0.append(log) }
        return log
    }

    /// Stops following, and ends the connection.
    package func close() {
        let logs = self.logs.withLockedValue { logs in
            defer { logs = [] }
            return logs
        }
        for log in logs { log.close() }
        self.connection.close()
    }
}
#endif
