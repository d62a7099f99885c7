package import Logging
import NIOConcurrencyHelpers
import NIOCore
package import RoomCluster
import RoomCore
import RoomDelivery
import RoomModel
import RoomStore

/// Makes the data of a broker that ran alone those of the first node of a cluster.
///
/// The control file goes first: from then on neither a broker that runs alone nor a node starts there until the history is ready too,
/// and another run goes on where this one has ended.
package struct ClusterBeginning: Sendable {
    package struct Outcome: Equatable, Sendable {
        package var channels: Int
        package var rooms: Int
    }

    private let data: String
    private let streams: StreamSettings
    private let logIsLost: Bool
    private let logger: Logger

    /// - Parameters:
    ///   - data: the data directory, which no broker has.
    ///   - cluster: its name and its partitions count.
    ///   - logIsLost: the data may be those of a node whose cluster's log is lost.
    package init(_ data: String, of cluster: ClusterSettings, logIsLost: Bool, logger: Logger) {
        self.data = data
        self.logIsLost = logIsLost
        self.streams = cluster.streams
        self.logger = logger
    }

    package var name: String { self.streams.name.text }
    package var partitions: Int { self.streams.partitions }

    /// - Throws: what an operator can act on.
    package func run() async throws -> Outcome {
        guard !RestoreTarget.existing(self.data).isEmpty else {
            throw StartError(
                "\(self.data) has no data of a broker: a cluster without any needs no preparation, start its nodes"
            )
        }
        let followed = ControlStore.followedCluster(in: self.data)
        if let followed, followed.place != nil {
            guard self.logIsLost else {
                throw StartError(
                    "\(self.data) has the files of a node of the cluster \(StreamSettings.parts(ofLog: followed.log).name) already: if that "
                        + "cluster's log is lost, say --lost-log"
                )
            }
            do {
                try LeftCluster.leave(self.data)
            } catch {
                throw StartError("the files of \(self.data) cannot be changed (\(error)): repeat the command")
            }
        }
        let storage = try await Self.storage(in: self.data, self.logger)
        do {
            let outcome = try await self.run(storage)
            await storage.close()
            return outcome
        } catch {
            await storage.close()
            throw error
        }
    }

    private static func storage(in path: String, _ logger: Logger) async throws -> BrokerStorage {
        let configuration = ServerConfiguration(storage: .directory(path))
        return try await BrokerStorage(configuration, in: nil, logger: logger)
    }

    private func run(_ storage: BrokerStorage) async throws -> Outcome {
        for channel in storage.channels {
            guard channel.settings.durability == .power else { continue }
            throw StartError(
                """
                the channel \(channel.settings.id) has the durability power, which a cluster has only if its nats-servers are known to sync \
                always: give it the durability process, and power again when the nodes run with --cluster-monitoring
                """
            )
        }
        let rooms = NIOLockedValueBox(0)
        do {
            let log = try storage.control.beginFollowing(self.newLog())
            guard StreamSettings.parts(ofLog: log).name == self.name else {
                throw StartError("\(self.data) begins the cluster \(log) already: name that one")
            }
            try await storage.history.beginPartitions(of: log) { logs in
                let kept = try self.rooms(of: storage, logs)
                rooms.withLockedValue { $0 = kept.count }
                return self.snapshots(kept, newestID: storage.idFloor.current)
            }
        } catch let error as ChannelDirectoryError {
            throw StartError("\(self.data): \(error.text)")
        } catch EngineError.reset {
            throw StartError("\(self.data) is ready already to be the first node of the cluster \(self.name)")
        } catch let error as EngineError {
            throw StartError("the history of \(self.data) cannot be changed (\(error)): repeat the command")
        }
        return Outcome(channels: storage.channels.count, rooms: rooms.withLockedValue(\.self))
    }

    private func newLog() -> String {
        StreamSettings.logName(self.streams.name, id: ClusterOrigin.drawn(hasData: true).id)
    }

    /// All rooms that have messages or rules.
    private func rooms(of storage: BrokerStorage, _ logs: StoredLogs) throws -> [StandaloneRoom] {
        let channels = ChannelTable(storage.channels.map { RoomChannel(settings: $0.settings) })
        let now = WallClock.milliseconds()
        var rooms: [RoomKey: StandaloneRoom] = [:]
        try logs.forEach(
            keysSince: now - Int64(PublishKeys.lifetimeSeconds) * 1_000,
            now: now,
            retention: { channels[$0.channel.text]?.history(of: $0.room) },
            found: { key, log in
                let publishes = log.recentKeys.compactMap { StoredPublish($0) }
                rooms[key] = self.room(key, channels, storage, log, publishes)
            }
        )
        for (channel, moderation) in storage.moderation {
            for name in moderation.rules.keys {
                let key = RoomKey(channel: channel, room: name)
                if rooms[key] == nil { rooms[key] = self.room(key, channels, storage, nil, []) }
            }
        }
        return Array(rooms.values)
    }

    private func room(
        _ key: RoomKey,
        _ channels: ChannelTable,
        _ storage: BrokerStorage,
        _ log: OpenedLog?,
        _ publishes: [StoredPublish]
    ) -> StandaloneRoom? {
        guard let channel = channels[key.channel.text] else { return nil }
        var settings = channel.roomSettings(of: key.room, BrokerLimits())
        // the first record has newer ones, with the limits of the node that wrote it
        settings.version = 0
        let rules = storage.moderation[key.channel]?.rules(of: key.room) ?? RoomRules()
        return StandaloneRoom(key, settings, rules: rules, log: log, publishes: publishes)
    }

    private func snapshots(_ rooms: [StandaloneRoom], newestID: Int64) -> [ByteBuffer] {
        let parts = Dictionary(grouping: rooms) { $0.key.partition(among: self.partitions) }
        return (0..<self.partitions).map { partition in
            Partition(parts[partition] ?? [], newestID: newestID, limits: BrokerLimits()).encoded
        }
    }
}
