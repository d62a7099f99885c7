package import NIOCore
package import RoomCore
package import RoomDelivery
import RoomModel

/// What makes a broker a node of a cluster. All but its history has to be the same on all nodes.
package struct ClusterEnvironment: Sendable {
    /// How many partitions the rooms are divided into.
    package var partitions: Int
    /// Names the logs of all partitions: a place means nothing in others.
    package var logName: String
    /// The partitions had no rooms before the first record.
    package var beginsEmpty: Bool
    /// Makes the node's way to the log of a partition; what is told may come on the event loop of those who follow it.
    package var log: @Sendable (_ partition: Int, any EventLoop) -> any PartitionLog
    /// What the node stores of the partitions.
    package var history: any ProjectedHistory
    /// Reads that.
    package var reader: any LogReader
    package var sessions: (any SessionExchange)?
    /// Whether the node knows what the cluster has agreed on.
    package var proof: ProofOfLife?
    /// Whether all nodes that live can read records of this level.
    package var canAllRead: @Sendable (RecordLevel) -> Bool
    /// Returns when all other nodes that live have applied the log of a partition through a place.
    package var appliedElsewhere: @Sendable (_ partition: Int, LogOffset) async -> Void
    /// Is told on the partition's event loop. Nobody may be let in before all partitions are ready, and whoever is connected has to
    /// go when one has failed.
    package var stateChanged: @Sendable (_ partition: Int, PartitionState) -> Void

    package init(
        partitions: Int,
        logName: String,
        beginsEmpty: Bool = true,
        log: @escaping @Sendable (_ partition: Int, any EventLoop) -> any PartitionLog,
        history: any ProjectedHistory,
        reader: any LogReader,
        sessions: any SessionExchange,
        proof: ProofOfLife? = nil,
        canAllRead: @escaping @Sendable (RecordLevel) -> Bool = { _ in true },
        appliedElsewhere: @escaping @Sendable (_ partition: Int, LogOffset) async -> Void = { _, _ in },
        stateChanged: @escaping @Sendable (_ partition: Int, PartitionState) -> Void
    ) {
        self.partitions = partitions
        self.logName = logName
        self.beginsEmpty = beginsEmpty
        self.log = log
        self.history = history
        self.reader = reader
        self.sessions = sessions
        self.proof = proof ?? ProofOfLife(partitions: partitions)
        self.canAllRead = canAllRead
        self.appliedElsewhere = appliedElsewhere
        self.stateChanged = stateChanged
    }

    func partition(of room: RoomKey) -> Int { room.partition(among: self.partitions) }

    /// A partition's share of what bounds all rooms together.
    fileprivate func share(of all: Int) -> Int { all == .max ? all : max(1, all / self.partitions) }

    /// The settings that a room of the channel has.
    func roomSettings(of room: RoomName, in channel: RoomChannel, _ limits: BrokerLimits) -> RoomSettings {
        var settings = channel.roomSettings(of: room, limits)
        settings.roomLimit = self.share(of: settings.roomLimit)
        return settings
    }
}

extension PartitionEnvironment {
    /// What bounds what is forgotten is the same on all nodes, whatever options they have: that of a broker without options.
    init(
        _ partition: Int,
        of cluster: ClusterEnvironment,
        on eventLoop: any EventLoop,
        _ environment: ShardEnvironment
    ) {
        let standard = BrokerLimits()
        var limits = environment.limits
        limits.publishKeysTotal = cluster.share(of: standard.publishKeysTotal)
        limits.dormantRooms = cluster.share(of: standard.dormantRooms)
        self.init(
            partition: partition,
            logName: cluster.logName,
            beginsEmpty: cluster.beginsEmpty,
            node: environment.node,
            limits: limits,
            log: { cluster.log(partition, eventLoop) },
            history: cluster.history,
            proof: cluster.proof
        )
    }
}
