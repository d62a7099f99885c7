import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCluster
import RoomControl
import RoomCore
import RoomDelivery
import RoomHTTP
import RoomMetrics
import RoomModel
import RoomStore

extension Broker {
    /// The admin API over all that the broker has.
    ///
    /// - Throws: `StartError` where the control file does not answer.
    func adminAPI(
        _ storage: BrokerStorage,
        figures: FigureLog,
        rooms: RoomGateway,
        channels: ChannelTable,
        moderation: ModerationRegistry,
        environment: ShardEnvironment,
        host: BrokerHost
    ) throws(StartError) -> AdminAPI {
        let random = Self.randomSecret
        let tokens = try self.adminTokens(storage, random: random)
        let uptime: @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
        let sessions = self.configuration.listen.servesPages ? ConsoleSessions(random: random, uptime: uptime) : nil
        let links = sessions.map { sessions in
            ConsoleLinks(sessions: sessions) { [pagesURL] in
                pagesURL.withLockedValue(\.self).map { $0 + "/console" }
            }
        }
        let followed = host.cluster?.history(of: rooms.shards)
        return AdminAPI(
            channels: self.registry(storage, rooms: rooms, channels: channels, moderation: moderation),
            moderation: moderation,
            rooms: rooms,
            tokens: tokens,
            auditLog: AuditLog(directory: storage.directory, logger: self.logger),
            events: environment.events,
            authenticator: AdminAuthenticator(
                tokens: tokens,
                failedLogins: environment.failedLogins,
                uptime: uptime,
                sessions: sessions
            ),
            frames: self.configuration.limits.frame,
            clock: WallClock.milliseconds,
            random: random,
            backups: storage.backups.map { followed?.backups($0) ?? $0 },
            figures: figures,
            storedRooms: followed?.storedRooms(storage.history) ?? storage.history,
            storedUsage: StoredUsageMeter(storage.history),
            pruner: followed?.pruner(storage.history) ?? storage.history,
            cluster: host.cluster,
            version: BrokerVersion.text,
            process: { [start] in ProcessFigures.vital(since: start) },
            host: { host.figures },
            warnings: {
                (self.drain.isOn ? ["draining"] : []) + (storage.isWritable ? [] : ["storage_unavailable"])
                    + self.warnings(storage, host)
            },
            console: links
        )
    }

    /// A word for each thing that somebody should look at before it is too late.
    func warnings(_ storage: BrokerStorage, _ host: BrokerHost) -> [String] {
        host.warnings(now: WallClock.milliseconds() / 1_000)
            + self.reloadFailures.warnings + (storage.history.isNearlyFullOfRooms ? ["stored_rooms"] : [])
            + (storage.history.mayHaveLost ? ["history_incomplete"] : [])
            + self.clockWatch(storage).warnings.codes
    }

    func clockWatch(_ storage: BrokerStorage) -> ClockWatch {
        ClockWatch(clock: storage.clock, floor: storage.idFloor.clock, logger: self.logger)
    }

    static let randomSecret: @Sendable () -> String = {
        var generator = SystemRandomNumberGenerator()
        return ChannelSecret.random(using: &generator).text
    }

    private func adminTokens(
        _ storage: BrokerStorage,
        random: @escaping @Sendable () -> String
    ) throws(StartError) -> AdminTokens {
        do throws(ChannelDirectoryError) {
            return try AdminTokens(directory: storage.directory, clock: WallClock.milliseconds, random: random)
        } catch {
            throw StartError(error.text)
        }
    }

    /// Where moderators act, whatever way they come.
    func moderation(_ storage: BrokerStorage, rooms: RoomGateway) -> ModerationRegistry {
        ModerationRegistry(
            channels: storage.moderation,
            directory: storage.directory,
            rooms: rooms,
            instruments: ModerationInstruments(
                actions: AuditAction.moderation,
                factory: self.metrics
            ),
            events: rooms.events,
            clock: { storage.clock.now },
            logger: self.logger
        )
    }

    private func registry(
        _ storage: BrokerStorage,
        rooms: RoomGateway,
        channels: ChannelTable,
        moderation: ModerationRegistry
    ) -> ChannelRegistry {
        let skew = self.configuration.tokenSkew.components.seconds
        let limits = self.configuration.limits.frame
        let exposure = Exposure(self.configuration.listen)
        return ChannelRegistry(
            channels: storage.channels.compactMap { stored in channels[stored.settings.id].map { (stored, $0) } },
            directory: storage.directory,
            rooms: rooms,
            moderation: moderation,
            engine: storage.directory.isShared ? nil : storage.history,
            locks: Dictionary(
                self.configuration.channels.map { ($0.id, $0.locks) },
                uniquingKeysWith: { _, last in last }
            ),
            refusal: { settings in
                if let text = exposure.refusal(of: settings) { return ControlError(.channelExposed, text) }
                return storage.refusal(of: settings).map { ControlError(.durabilityUnavailable, $0) }
            },
            makeChannel: { stored, previous in
                RoomChannel(
                    settings: stored.settings,
                    version: stored.version,
                    secrets: stored.secrets,
                    skew: skew,
                    limits: limits,
                    usage: previous?.usage ?? ChannelUsage()
                )
            },
            clock: WallClock.milliseconds,
            logger: self.logger
        )
    }
}
