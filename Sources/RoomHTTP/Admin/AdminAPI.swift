import NIOHTTP1
package import RoomControl
package import RoomCore
package import RoomDelivery
package import RoomMetrics
package import RoomModel

/// The admin API, as `Schemas/admin.openapi.yaml` describes it: routes under `/admin/v1`.
package struct AdminAPI: Sendable {
    package let channels: ChannelRegistry
    let moderation: ModerationRegistry
    let rooms: any RoomAccess
    package let tokens: AdminTokens
    let auditLog: AuditLog
    let events: EventHub
    let frames: FrameLimits
    let clock: @Sendable () -> Int64
    let random: @Sendable () -> String
    let heartbeat: Duration
    let backups: (any BackupService)?
    let figures: FigureLog?
    let storedRooms: (any StoredRoomList)?
    let storedUsage: (any StoredUsageSource)?
    let pruner: (any HistoryPruner)?
    let cluster: (any ClusterReporter)?
    let version: String
    let process: @Sendable () -> ProcessFigures
    let host: @Sendable () -> HostFigures
    let warnings: @Sendable () -> [String]
    /// `nil`: there is no console.
    let console: ConsoleLinks?
    let imports = ImportActs()
    let pruneActs = PruneActs()
    let authenticator: AdminAuthenticator

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
        self.channels = channels
        self.moderation = moderation
        self.rooms = rooms
        self.tokens = tokens
        self.auditLog = auditLog
        self.events = events
        self.authenticator = authenticator
        self.frames = frames
        self.clock = clock
        self.random = random
        self.heartbeat = heartbeat
        self.backups = backups
        self.figures = figures
        self.storedRooms = storedRooms
        self.storedUsage = storedUsage
        self.pruner = pruner
        self.cluster = cluster
        self.version = version
        self.process = process
        self.host = host
        self.warnings = warnings
        self.console = console
    }

    /// For routes elsewhere that an admin token opens.
    ///
    /// - Throws: `Problem` unless the caller may read.
    package func admitReader(_ request: HTTPRequest, from peer: HTTPPeer) throws {
        _ = try self.authenticator.caller(request, from: peer, needing: .read)
    }

    /// The work of a route once the caller is let in.
    typealias Handler = @Sendable (AdmittedCall) async throws(Problem) -> HTTPResponse

    package func addRoutes(to routes: inout HTTPRoutes) {
        self.addChannels(to: &routes)
        self.addRooms(to: &routes)
        self.addStoredRooms(to: &routes)
        self.addModeration(to: &routes)
        self.addSanctions(to: &routes)
        self.addStatistics(to: &routes)
        self.addBroker(to: &routes)
        self.addCluster(to: &routes)
        self.addTokens(to: &routes)
        self.addEvents(to: &routes)
        self.addBackups(to: &routes)
        self.addImport(to: &routes)
        self.addPrune(to: &routes)
        self.addRedactions(to: &routes)
        self.addConsole(to: &routes)
    }

    /// - Parameters:
    ///   - path: below `root`.
    ///   - scope: what a token has to have.
    ///   - query: the parameters that it may have.
    func on(
        _ method: HTTPMethod,
        _ path: String,
        in routes: inout HTTPRoutes,
        scope: AdminScope,
        query: [String] = [],
        _ handler: @escaping Handler
    ) {
        routes.on(method, "\(Self.root)/\(path)") { [authenticator] request, context in
            let caller = try authenticator.caller(request, from: context.peer, needing: scope)
            let call = try AdmittedCall(
                request,
                context,
                caller: caller,
                isStillAllowed: { authenticator.stillLetsIn(request, from: context.peer, for: scope) },
                isManager: { authenticator.stillLetsIn(request, from: context.peer, for: .manage) },
                known: query
            )
            return try await handler(call)
        }
    }

    static let root = "/admin/v1"
}
