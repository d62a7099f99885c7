package import NIOCore
package import RoomCore
import RoomModel

/// What makes a broker a node of a cluster. All but its history has to be the same on all nodes.
package struct ClusterEnvironment: Sendable {
    /// How many partitions the rooms are divided into.
    package var partitions: Int
    /// Names the logs of all partitions: a place means nothing in others.
    package var logName: String
    /// In milliseconds: see `Partition`.
    package var longestGrace: Int64
    /// Makes the node's way to the log of a partition; what is told may come on the event loop of those who follow it.
    package var log: @Sendable (_ partition: Int, any EventLoop) -> any PartitionLog
    /// What the node stores of the partitions.
    package var history: any ProjectedHistory
    /// Reads that.
    package var reader: any LogReader
    /// Is told on the partition's event loop. Nobody may be let in before all partitions are ready, and whoever is connected has to
    /// go when one has failed.
    package var stateChanged: @Sendable (_ partition: Int, PartitionState) -> Void

    package init(
        partitions: Int,
        logName: String,
        longestGrace: Int64,
        log: @escaping @Sendable (_ partition: Int, any EventLoop) -> any PartitionLog,
        history: any ProjectedHistory,
        reader: any LogReader,
        stateChanged: @escaping @Sendable (_ partition: Int, PartitionState) -> Void
    ) {
        self.partitions = partitions
        self.logName = logName
        self.longestGrace = longestGrace
        self.log = log
        self.history = history
        self.reader = reader
        self.stateChanged = stateChanged
    }

    func partition(of room: RoomKey) -> Int { Int(room.stableHash % UInt64(self.partitions)) }
}

extension PartitionEnvironment {
    /// Each partition has its share of what bounds all rooms together.
    init(
        _ partition: Int,
        of cluster: ClusterEnvironment,
        on eventLoop: any EventLoop,
        _ environment: ShardEnvironment
    ) {
        let share = { @Sendable (all: Int) in all == .max ? all : max(1, all / cluster.partitions) }
        var limits = environment.limits
        limits.publishKeysTotal = share(limits.publishKeysTotal)
        limits.dormantRooms = share(limits.dormantRooms)
        let channels = environment.channels
        self.init(
            partition: partition,
            logName: cluster.logName,
            node: environment.node,
            limits: limits,
            longestGrace: cluster.longestGrace,
            settings: { [limits] key in
                let channel = channels[key.channel] ?? RoomChannel(settings: ChannelSettings(id: key.channel))
                var settings = channel.roomSettings(of: key.room, limits)
                settings.roomLimit = share(settings.roomLimit)
                return settings
            },
            log: { cluster.log(partition, eventLoop) },
            history: cluster.history
        )
    }
}
