import Foundation
import Logging
import RoomCluster
import RoomCore
import RoomDelivery
import RoomHost
import RoomModel
import RoomStore

/// All that the broker keeps: the data directory with the history, the channels, and up to when ids were made.
struct BrokerStorage: Sendable {
    let history: HistoryStore
    /// The channels that there are, those that the configuration names with its settings.
    let channels: [StoredChannel]
    /// The rules and sanctions that moderators have set in them, and holds.
    let moderation: [ChannelID: ChannelModeration]
    /// How those that were there already were stored until this start.
    let settingsBefore: [ChannelID: ChannelSettings]
    let clock: BrokerClock
    let idFloor: SharedIDFloor
    let control: ControlStore
    /// Where channels, moderation and tokens are changed: the control file, or in a cluster that of all nodes.
    let directory: any ChannelDirectory & ModerationDirectory & AdminDirectory
    /// `nil` where nothing is kept.
    let backups: BackupStore?
    let logger: Logger
    private let data: DataDirectory
    private let cluster: ClusterNode?

    /// - Parameters:
    ///   - observer: is told of each commit of the history.
    ///   - migration: is told how far the store is with the messages of an earlier version.
    init(
        _ configuration: ServerConfiguration,
        in cluster: ClusterNode?,
        observer: (any CommitObserver)? = nil,
        logger: Logger,
        migration: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
    ) async throws {
        self.logger = logger
        self.cluster = cluster
        let clock = BrokerClock()
        self.clock = clock
        self.data = try DataDirectory(configuration.storage.path, now: clock.now, logger: logger)
        self.idFloor = SharedIDFloor(clock: self.data.clock)
        if self.data.isReadOnly {
            logger.critical(
                "the disk is read-only: the history can be read, nothing can be stored or changed",
                metadata: ["data": "\(configuration.storage.path)"]
            )
        }
        if configuration.acceptsLostChannels {
            logger.warning("--accept-lost-channels is on: leave it out from the next start on")
        }
        do {
            let control = try ControlStore(
                self.data.control,
                reserve: self.data.reserve,
                logger: logger,
                now: WallClock.milliseconds(),
                mayBegin: configuration.acceptsLostChannels || !self.data.hasHistory,
                isReadOnly: self.data.isReadOnly
            )
            self.control = control
            try await cluster?.share(control)
            let directory: any ChannelDirectory & ModerationDirectory & AdminDirectory = cluster ?? control
            self.directory = directory
            let before = try control.channels().map { ($0.settings.id, $0.settings) }
            self.settingsBefore = Dictionary(before, uniquingKeysWith: { _, last in last })
            self.channels = try Self.channels(configuration, in: directory) { channel, stored in
                guard let text = cluster?.refusal(of: channel, stored) else { return }
                throw StartError(text)
            }
            for channel in self.channels {
                // a node has to be able to start while a nats-server is away
                guard let text = cluster?.refusal(of: channel.settings, nil) else { continue }
                logger.warning("a channel is promised what the cluster may not keep", metadata: ["reason": "\(text)"])
            }
            let now = WallClock.milliseconds()
            try control.forgetEnded(by: now)
            self.moderation = try control.moderation(now: now)
        } catch let error as ChannelDirectoryError {
            throw StartError(error.text)
        }
        self.history = try HistoryStore(
            self.data.history,
            reserve: self.data.reserve,
            roomsPerChannel: configuration.limits.storedRoomsPerChannel,
            bootID: Self.bootID(),
            logger: logger,
            now: { clock.now },
            observer: observer,
            migration: migration
        )
        self.backups = BackupStore(
            self.data,
            history: self.history,
            control: self.control,
            logger: logger,
            now: WallClock.milliseconds
        )
    }

    /// Whether no file can be made in the data directory, as far as is known from the start.
    var isReadOnly: Bool { self.data.isReadOnly }

    /// Why the cluster cannot have a channel with these settings; `nil`: it can, or the broker runs alone.
    func refusal(of channel: ChannelSettings) -> String? {
        let stored = try? self.control.channels().first { $0.settings.id == channel.id }
        return self.cluster?.refusal(of: channel, stored?.settings)
    }

    /// Whether messages and changes would be stored, as far as is known without a try.
    var isWritable: Bool { self.history.isWritable && self.control.isInPlace }

    func close() async {
        await self.backups?.close()
        await self.history.close()
        do {
            try self.control.close()
        } catch {
            self.logger.error("the control file was not closed in order", metadata: ["error": "\(error.text)"])
        }
        self.data.close()
    }

    /// A value that a flag names wins over the stored one, and is stored.
    ///
    /// - Throws: before anything is stored, where a channel would be open to strangers, or would be promised what the cluster cannot keep.
    private static func channels(
        _ configuration: ServerConfiguration,
        in control: any ChannelDirectory,
        check: (ChannelSettings, _ stored: ChannelSettings?) throws -> Void
    ) throws -> [StoredChannel] {
        let stored = try control.channels().map(\.settings)
        let named = configuration.channels.map { channel in
            channel.settings(over: stored.first { $0.id == channel.id })
        }
        try Exposure(configuration.listen).check(
            named + stored.filter { channel in !named.contains { $0.id == channel.id } }
        )
        for channel in named { try check(channel, stored.first { $0.id == channel.id }) }
        try control.ensure(named)
        return try control.channels()
    }

    /// Names this boot of the machine; empty where the system does not tell.
    private static func bootID() -> String {
        KernelFile.text("/proc/sys/kernel/random/boot_id") ?? ""
    }
}

/// One floor for the ids of all shards.
struct SharedIDFloor: IDFloor {
    let clock: ClockFloor

    var current: Int64 { self.clock.initial }

    func reserve(through milliseconds: Int64) {
        self.clock.reserve(through: milliseconds)
    }
}

extension StorageLocation {
    var path: String {
        switch self {
        case .memory: DataDirectory.memory
        case .directory(let path): path
        }
    }
}
