package import RoomCluster
import RoomStore

/// The cluster of which the broker is a node.
package struct ClusterSettings: Equatable, Sendable {
    /// The URLs of its nats-servers; `nil`: the broker runs alone.
    package var servers: [String]?
    package var streams = StreamSettings()
    /// A PEM file with the authorities that have signed the servers' certificates.
    package var authorities: String?
    /// PEM files with the node's own certificate, and with its key.
    package var certificate: String?
    package var key: String?
    /// A file with a JWT and its seed.
    package var credentials: String?
    package var user: String?
    package var passwordFile: String?
    package var nkey: String?
    package var nkeySeedFile: String?
    /// The URLs of the servers' monitoring, which tells how they sync; `nil`: nobody has named them.
    package var monitoring: [String]?

    package init() {}

    /// The same, with what the files in the data directory follow.
    ///
    /// - Throws: where they are a node's and the broker is to run alone, or the other way round, or were made ready for another number of
    ///   partitions, in which rooms would be looked for where they are not: before the first node with them could make
    ///   the streams of a cluster that begins without them.
    func following(_ storage: StorageLocation) throws(StartError) -> ClusterSettings {
        guard case .directory(let path) = storage else { return self }
        guard let followed = ControlStore.followedCluster(in: path) else {
            guard self.servers != nil, ControlStore.hasChannels(in: path) else { return self }
            throw StartError(
                """
                \(path) has the files of a broker that ran alone: start the node with an empty data directory, or begin the cluster with \
                what the broker has: roomline cluster begin --data \(path)
                """
            )
        }
        let (name, id) = StreamSettings.parts(ofLog: followed.log)
        guard self.servers != nil else {
            throw StartError(
                """
                \(path) has the files of a node of the cluster \(name): start it with --cluster, or make a backup of a node that \
                runs, and restore it for a broker that runs alone with "roomline restore --alone"
                """
            )
        }
        if followed.place == nil, let partitions = HistoryStore.followedPartitions(in: path),
            partitions != self.streams.partitions
        {
            throw StartError(
                """
                \(path) was made ready for \(partitions) partitions by "roomline cluster begin": start the node with \
                --cluster-partitions \(partitions), and not with \(self.streams.partitions)
                """
            )
        }
        var settings = self
        settings.streams.followed = followed.place.map { .follows(id: id, place: $0) } ?? .begins(id: id)
        return settings
    }

    var serverMonitoring: ServerMonitoring { ServerMonitoring(self.monitoring ?? []) }

    /// `nil` where the broker runs alone.
    var access: NATSAccess? {
        guard let servers else { return nil }
        var access = NATSAccess(servers: servers)
        let identity = self.certificate.flatMap { certificate in
            self.key.map { NATSCertificates.Identity(certificate: certificate, key: $0) }
        }
        if self.authorities != nil || identity != nil {
            access.tls = NATSCertificates(authorities: self.authorities, identity: identity)
        }
        if let credentials { access.credentials = .credentials(file: credentials) }
        if let user, let passwordFile { access.credentials = .password(user: user, file: passwordFile) }
        if let nkey, let nkeySeedFile { access.credentials = .key(publicKey: nkey, seedFile: nkeySeedFile) }
        return access
    }
}
