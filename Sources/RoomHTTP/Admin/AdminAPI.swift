package import RoomControl
package import RoomCore
package import RoomDelivery
package import RoomMetrics
package import RoomModel

/// The admin API, as `Schemas/admin.openapi.yaml` describes it: routes under `/admin/v1`.
package struct AdminAPI: Sendable {
    package let channels: ChannelRegistry
    package let tokens: AdminTokens
    package let nodes: AdminNodes
    private let authenticator: AdminAuthenticator
    private let consoleRoutes: ConsoleRoutes?
    private let kinds: [any AdminRoutes]

    /// - Parameters:
    ///   - clock: Unix milliseconds.
    ///   - random: 256 random bits in base64url.
    ///   - backups: `nil` where the broker keeps nothing.
    ///   - figures: what the broker did in the last hour; `nil`: nobody takes note of it.
    ///   - storedRooms: what is stored of rooms; `nil`: nothing is.
    ///   - storedUsage: how much is stored of each channel; `nil`: nothing is.
    ///   - pruner: deletes stored messages; `nil`: there are none.
    ///   - cluster: `nil`: the broker runs alone.
    ///   - version: the broker's.
    ///   - process: those of its figures that cost little.
    ///   - warnings: a word for each thing that somebody should look at.
    ///   - heartbeat: after how long without an event a reader of events is sent something.
    package init(
        channels: ChannelRegistry,
        moderation: ModerationRegistry,
        rooms: any RoomAccess,
        tokens: AdminTokens,
        auditLog: AuditLog,
        events: EventHub,
        authenticator: AdminAuthenticator,
        frames: FrameLimits,
        clock: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable () -> String,
        backups: (any BackupService)? = nil,
        figures: FigureLog? = nil,
        storedRooms: (any StoredRoomList)? = nil,
        storedUsage: (any StoredUsageSource)? = nil,
        pruner: (any HistoryPruner)? = nil,
        cluster: (any ClusterReporter)? = nil,
        version: String,
        process: @escaping @Sendable () -> ProcessFigures,
        host: @escaping @Sendable () -> HostFigures = { HostFigures() },
        warnings: @escaping @Sendable () -> [String] = { [] },
        console: ConsoleLinks? = nil,
        heartbeat: Duration = .seconds(15)
    ) {
        let nodes = AdminNodes(
            rooms: rooms,
            moderation: moderation,
            cluster: cluster,
            version: version,
            process: process,
            clock: clock
        )
        let places = AdminPlaces(channels: channels, limits: frames)
        let redactions = RedactionRoutes(places: places, moderation: moderation, storedRooms: storedRooms)
        self.channels = channels
        self.tokens = tokens
        self.nodes = nodes
        self.authenticator = authenticator
        self.consoleRoutes = console.map {
            ConsoleRoutes(authenticator: authenticator, sessions: $0.sessions, clock: clock)
        }
        self.kinds = [
            ChannelRoutes(channels: channels, clock: clock, random: random),
            RoomRoutes(
                places: places,
                rooms: rooms,
                moderation: moderation,
                nodes: nodes,
                auditLog: auditLog,
                clock: clock
            ),
            StoredRoomRoutes(places: places, rooms: rooms, storedRooms: storedRooms),
            ModerationRoutes(places: places, moderation: moderation),
            SanctionRoutes(places: places, moderation: moderation, redactions: redactions, clock: clock),
            redactions,
            PruneRoutes(
                places: places,
                moderation: moderation,
                nodes: nodes,
                rooms: rooms,
                storedRooms: storedRooms,
                pruner: pruner
            ),
            ImportRoutes(places: places, moderation: moderation, rooms: rooms, nodes: nodes, clock: clock),
            StatisticsRoutes(
                nodes: nodes,
                figures: figures,
                storedUsage: storedUsage,
                host: host,
                warnings: warnings,
                clock: clock
            ),
            BrokerRoutes(places: places, rooms: rooms, nodes: nodes, figures: figures, auditLog: auditLog),
            ClusterRoutes(cluster: cluster),
            TokenRoutes(tokens: tokens),
            EventRoutes(places: places, rooms: rooms, events: events, heartbeat: heartbeat),
            BackupRoutes(backups: backups, auditLog: auditLog, clock: clock),
            ConsoleLinkRoutes(console: console, clock: clock),
        ]
    }

    /// For routes elsewhere that an admin token opens.
    ///
    /// - Throws: `Problem` unless the caller may read.
    package func admitReader(_ request: HTTPRequest, from peer: HTTPPeer) throws {
        _ = try self.authenticator.caller(request, from: peer, needing: .read)
    }

    package func addRoutes(to routes: inout HTTPRoutes) {
        var router = AdminRouter(routes: routes, authenticator: self.authenticator)
        for kind in self.kinds { kind.add(to: &router) }
        routes = router.routes
        self.consoleRoutes?.addRoutes(to: &routes)
    }
}
