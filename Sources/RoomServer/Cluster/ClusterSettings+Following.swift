import RoomCluster
import RoomCore
import RoomStore

extension ClusterSettings {
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
}
