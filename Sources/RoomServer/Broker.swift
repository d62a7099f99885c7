import Foundation
package import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RoomCluster
import RoomControl
import RoomCore
import RoomDelivery
import RoomHTTP
package import RoomMetrics
import RoomModel
import RoomStore
import RoomTransport
import ServiceLifecycle
import UnixSignals

/// The broker, put together: storage, shards, listeners; runs until it is told to stop.
package struct Broker: Sendable {
    let configuration: ServerConfiguration
    let metrics: PrometheusRegistry
    let logger: Logger
    let process: Process
    let start = Date()
    /// Known once HTTP listens.
    let pagesURL = NIOLockedValueBox<String?>(nil)
    let reloadFailures = ReloadFailures()
    let drain = DrainSignal()

    /// The broker's means of the process that it runs in.
    package struct Process: Sendable {
        /// The log level of all loggers.
        let threshold: LogThreshold
        /// The writer of all loggers.
        let log: LogWriter
        /// `nil`: no service manager waits for news.
        let notifier: ServiceNotifier?
        /// Shows how many messages of an earlier version are taken over, and of how many; `nil`: the log says so.
        let showMigration: (@Sendable (_ moved: UInt64, _ total: UInt64) -> Void)?
        /// What a start says at a terminal; `nil`: the log says so.
        let banner: (@Sendable (StartReport) -> String)?
        /// Reads the configuration again.
        let reload: @Sendable () throws(ConfigurationError) -> ServerConfiguration

        package init(
            threshold: LogThreshold,
            log: LogWriter,
            notifier: ServiceNotifier?,
            showMigration: (@Sendable (_ moved: UInt64, _ total: UInt64) -> Void)?,
            banner: (@Sendable (StartReport) -> String)?,
            reload: @escaping @Sendable () throws(ConfigurationError) -> ServerConfiguration
        ) {
            self.threshold = threshold
            self.log = log
            self.notifier = notifier
            self.showMigration = showMigration
            self.banner = banner
            self.reload = reload
        }
    }

    package init(
        configuration: ServerConfiguration,
        metrics: PrometheusRegistry,
        logger: Logger,
        process: Process
    ) {
        self.configuration = configuration
        self.metrics = metrics
        self.logger = logger
        self.process = process
    }

    /// Serves until a signal ends it (`BrokerService`).
    ///
    /// - Throws: what kept it from starting, as an error whose description an operator can act on.
    package func run() async throws {
        let status = ServiceStatus(notifier: self.process.notifier, logger: self.logger)
        let migration = MigrationReport(status: status, logger: self.logger, show: self.process.showMigration)
        let looks = LoopTicks()
        let group = MultiThreadedEventLoopGroup(
            numberOfThreads: self.configuration.process.loopCount,
            metricsDelegate: looks
        )
        do {
            let loop = group.next()
            let settings = try self.configuration.cluster.following(self.configuration.storage)
            let cluster = try await ClusterNode.join(
                settings,
                version: BrokerVersion.full,
                on: loop,
                logger: self.logger
            )
            try await self.run(in: cluster, on: group, looks, status, migration)
        } catch {
            try? await group.shutdownGracefully()  // the first error is the one to tell
            throw error
        }
        try await group.shutdownGracefully()
    }

    private func run(
        in cluster: ClusterNode?,
        on group: MultiThreadedEventLoopGroup,
        _ looks: LoopTicks,
        _ status: ServiceStatus,
        _ migration: MigrationReport
    ) async throws {
        let storage: BrokerStorage
        do {
            storage = try await BrokerStorage(
                self.configuration,
                in: cluster,
                observer: CommitInstruments(factory: self.metrics),
                logger: self.logger,
                migration: { migration.progressed(to: $0, now: ContinuousClock.now) }
            )
        } catch {
            await cluster?.leave()
            throw error
        }
        do {
            try await self.serve(storage, in: cluster, on: group, looks, status)
        } catch {
            await cluster?.leave()
            await storage.close()
            throw error
        }
        await cluster?.leave()
        await storage.close()
    }

    private func serve(
        _ storage: BrokerStorage,
        in cluster: ClusterNode?,
        on group: MultiThreadedEventLoopGroup,
        _ looks: LoopTicks,
        _ status: ServiceStatus
    ) async throws {
        let skew = self.configuration.tokenSkew.components.seconds
        let limits = self.configuration.limits.frame
        let channels = ChannelTable(
            storage.channels.map {
                RoomChannel(settings: $0.settings, version: $0.version, secrets: $0.secrets, skew: skew, limits: limits)
            }
        )
        var environment = ShardEnvironment(
            channels: channels,
            moderation: storage.moderation,
            limits: self.configuration.limits,
            engine: storage.history,
            idFloor: storage.idFloor,
            clock: { storage.clock.now }
        )
        environment.machineClock = WallClock.milliseconds
        if let cluster {
            environment.node = cluster.number
            environment.ordering = cluster.environment(storage.history)
        } else {
            await storage.clearLogsWithoutHistory()
        }
        let text = self.configuration.text
        environment.textRoom = text.room.map { RoomKey(channel: text.channel, room: $0) }
        environment.observer = ConnectionLog(self.logger)
        environment.loopTicks = { looks.ofThisLoop }
        let shards = try await ShardSet.make(on: group, environment: environment)
        let rooms = RoomGateway(shards: shards, environment: environment)
        let moderation = self.moderation(storage, rooms: rooms)
        let queue = ModerationQueue(registry: moderation) { NIODeadline.now().uptimeNanoseconds }
        for shard in shards { shard.post { $0.moderationService = queue } }
        let tls = try self.configuration.listen.tls.map { files throws(StartError) in try TLSCertificate(files) }
        let host = BrokerHost(self.configuration.storage, tls: tls, cluster: cluster)
        let sources = self.metricSources(rooms, storage, host)
        let figures = FigureLog(registry: self.metrics, sources: sources)
        let admin = try self.adminAPI(
            storage,
            figures: figures,
            rooms: rooms,
            channels: channels,
            moderation: moderation,
            environment: environment,
            host: host
        )
        cluster?.lookedAt.withLockedValue { $0 = { look in await admin.nodes.answer(look) } }
        let gate = ConnectionGate(limits: self.connectionLimits(loops: shards.count))
        let accepts = self.acceptLimit()
        let settings = try self.connectionSettings(channels)
        let listener = TCPListener(
            shards: shards,
            settings: settings,
            gate: gate,
            accepts: accepts,
            options: TCPListener.Options(self.configuration.listen, tls: tls, refusals: self.proxyRefusals())
        )
        try await cluster?.follow(shards)
        // from before anybody can know that it listens: whoever sees that may end it in order at once
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        let address = self.configuration.listen.tcp
        let channel = try await self.listen(listener, on: group)
        let http = try await HTTPSide.listen(
            self.configuration,
            isReadOnly: storage.isReadOnly,
            tls: tls,
            front: { hosts in
                let events = EventsAPI(posts: EventPosts(shards: shards), limits: environment.limits.frame)
                return self.front(
                    rooms,
                    moderation,
                    storage,
                    admin,
                    events,
                    sources,
                    hosts,
                    environment.failedLogins,
                    host
                )
            },
            shards: shards,
            gate: gate,
            accepts: accepts,
            group: group,
            webSockets: WebSockets(shards: shards, settings: settings, gate: gate).accept,
            events: EventStreams(shards: shards, settings: settings).accept
        )
        if self.configuration.listen.servesPages { self.pagesURL.withLockedValue { $0 = http.url } }
        self.tellStart(at: ListenAddress(bound: channel.localAddress) ?? address, http, storage, loops: shards.count)
        Exposure.tellOpenPages(storage.channels.map(\.settings), self.logger)
        Exposure.warn(of: self.configuration.listen, storage.channels.map(\.settings), self.logger)
        status.tell(.ready)
        let broker = BrokerService(
            listener: channel,
            shards: shards,
            gate: gate,
            http: http,
            signals: signals,
            drainTime: self.configuration.timeouts.drain,
            status: status,
            logger: self.logger,
            log: self.process.log
        )
        let reloads = ReloadService(reload: self.reload(admin.channels, tls), signals: hangUps, status: status)
        let watchdog = Watchdog(status: status, loops: shards.map(\.eventLoop))
        let clustered = cluster.map { [self.service(of: $0, admin, moderation)] } ?? []
        let watched: [ServiceGroupConfiguration.ServiceConfiguration] =
            watchdog.interval == nil ? [] : [.init(service: watchdog, successTerminationBehavior: .ignore)]
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(HistoryMaintenance(history: storage.history, backups: storage.backups, clock: storage.clock)),
                    .init(ModerationMaintenance(moderation: moderation)),
                    .init(FileWatch(history: storage.history, control: storage.control)),
                    .init(queue),
                    .init(self.loopWatch(shards)),
                    .init(FigureWatch(figures: figures)),
                    .init(MemoryMaintenance()),
                    .init(SpaceWatch(host: host, logger: self.logger)),
                    .init(self.clockWatch(storage)),
                    .init(reloads),
                ] + clustered + watched + http.services + [
                    .init(broker, successTerminationBehavior: .gracefullyShutdownGroup)
                ],
                logger: self.logger.ofPackage
            )
        )
        try await services.run()
    }

    /// It ends the others when it fails.
    private func service(
        of cluster: ClusterNode,
        _ admin: AdminAPI,
        _ moderation: ModerationRegistry
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        let effect = { @Sendable (change: ControlChange) in
            if let channel = change.channel {
                await admin.channels.reload(channel)
                await moderation.reload(channel)
            }
            await admin.tokens.reload()
        }
        let service = ClusterService(node: cluster, effect: effect, logger: self.logger)
        return .init(service: service, failureTerminationBehavior: .gracefullyShutdownGroup)
    }

    private func reload(_ channels: ChannelRegistry, _ tls: TLSCertificate?) -> ConfigurationReload {
        ConfigurationReload(
            of: self.configuration,
            load: self.process.reload,
            tls: tls,
            threshold: self.process.threshold,
            channels: channels,
            random: Self.randomSecret,
            failures: self.reloadFailures,
            logger: self.logger
        )
    }

    /// The HTTP side of the broker.
    private func front(
        _ rooms: RoomGateway,
        _ moderation: ModerationRegistry,
        _ storage: BrokerStorage,
        _ admin: AdminAPI,
        _ events: EventsAPI,
        _ sources: BrokerMetrics.Sources,
        _ hosts: HostRule,
        _ failedLogins: FailedLogins,
        _ host: BrokerHost
    ) -> HTTPFront {
        let clock = HTTPClock(
            unixSeconds: { WallClock.milliseconds() / 1_000 },
            uptime: { NIODeadline.now().uptimeNanoseconds }
        )
        var routes = HTTPRoutes()
        HealthRoutes(
            drain: self.drain,
            isWritable: { storage.isWritable && host.cluster?.isHealthy ?? true },
            warnings: { self.warnings(storage, host) }
        ).addRoutes(to: &routes)
        admin.addRoutes(to: &routes)
        if self.configuration.listen.servesPages { PageRoutes().addRoutes(to: &routes) }
        let metrics = BrokerMetrics(registry: self.metrics, version: BrokerVersion.text, sources: sources)
        MetricsRoute(
            access: self.configuration.listen.metrics,
            authorize: { request, peer in try admin.admitReader(request, from: peer) },
            text: MetricsText(now: clock.uptime, make: metrics.render).text
        ).addRoutes(to: &routes)
        let rest = RESTAPI(
            rooms: rooms,
            moderation: moderation,
            channels: { rooms.channel($0) },
            limits: self.configuration.limits.frame,
            publishRate: self.configuration.limits.publishRate,
            isOnThisMachineOnly: self.configuration.listen.isOnThisMachineOnly,
            clientCount: { await admin.nodes.clientCount(in: $0) },
            logins: failedLogins,
            clock: clock
        )
        return HTTPFront(
            rest: rest,
            routes: routes,
            events: events,
            hosts: hosts,
            servesPages: self.configuration.listen.servesPages,
            isOnThisMachineOnly: self.configuration.listen.isOnThisMachineOnly,
            trustedProxies: self.configuration.listen.trustedProxies ?? [],
            isCutOff: { !(host.cluster?.isProven ?? true) },
            drain: self.drain,
            clock: clock,
            instruments: HTTPInstruments(factory: self.metrics),
            logger: self.logger
        )
    }

    private func metricSources(
        _ rooms: RoomGateway,
        _ storage: BrokerStorage,
        _ host: BrokerHost
    ) -> BrokerMetrics.Sources {
        BrokerMetrics.Sources(
            shards: rooms.counters,
            statistics: rooms.statistics,
            process: { [start] in ProcessFigures.current(since: start) },
            historyBytes: { storage.history.fileBytes.map(Int.init) },
            host: { host.figures },
            cluster: { host.cluster?.metrics }
        )
    }
}
