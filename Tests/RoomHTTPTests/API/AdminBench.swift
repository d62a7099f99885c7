import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel
import RoomTestKit

@testable import RoomHTTP

/// The admin API over fakes: a control file in memory, rooms that say what the test wants.
struct AdminBench {
    static let local = HTTPPeer(transport: .unix(uid: 7), address: nil, isLocal: true)
    static let now: Int64 = 1_700_000_000_123

    let directory = FakeDirectory()
    let rooms = FakeRooms()
    let moderated = FakeModeratedRooms()
    let moderation: ModerationRegistry
    let metrics = PrometheusRegistry(
        descriptions: MetricDescription.broker,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let clock = NIOLockedValueBox(Self.now)
    let engine: MemoryEngine
    let registry: ChannelRegistry
    let events = EventHub(epoch: Epoch(rawValue: 0xabc))
    let drain = DrainSignal()
    private let responder: any HTTPResponder<HTTPRequestContext>

    init(
        _ settings: [ChannelSettings] = [.make("talk", history: nil)],
        locks: [ChannelID: [ChannelLock]] = [:],
        failedLogins: FailedLogins = FailedLogins(),
        tokens stored: [AdminToken] = [],
        heartbeat: Duration = .seconds(3_600)
    ) throws {
        try self.directory.ensure(settings)
        self.directory.state.withLockedValue { state in
            state.tokens = Dictionary(stored.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        }
        let engine = MemoryEngine(clock: ManualClock())
        self.engine = engine
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let channels = try self.directory.channels().map { ($0, RoomChannel(settings: $0.settings)) }
        let clock = self.clock
        self.moderation = ModerationRegistry(
            channels: self.directory.state.withLockedValue(\.moderation),
            directory: self.directory,
            rooms: self.moderated,
            instruments: ModerationInstruments(factory: self.metrics),
            events: self.events,
            clock: { clock.withLockedValue(\.self) },
            logger: logger
        )
        self.registry = ChannelRegistry(
            channels: channels,
            directory: self.directory,
            rooms: self.rooms,
            moderation: self.moderation,
            engine: engine,
            locks: locks,
            makeChannel: { stored, previous in
                RoomChannel(
                    settings: stored.settings,
                    secrets: stored.secrets,
                    usage: previous?.usage ?? ChannelUsage()
                )
            },
            clock: { Self.now },
            logger: logger
        )
        let drawn = NIOLockedValueBox(0)
        let random: @Sendable () -> String = {
            let number = drawn.withLockedValue { number in
                number += 1
                return number
            }
            let digits = "\(number)"
            return String(repeating: "s", count: 43 - digits.count) + digits
        }
        let tokens = try AdminTokens(directory: self.directory, clock: { Self.now }, random: random)
        let api = AdminAPI(
            channels: self.registry,
            moderation: self.moderation,
            rooms: self.rooms,
            tokens: tokens,
            auditLog: AuditLog(directory: self.directory, logger: logger),
            events: self.events,
            authenticator: AdminAuthenticator(tokens: tokens, failedLogins: failedLogins, uptime: { 1 }),
            frames: FrameLimits(),
            clock: { clock.withLockedValue(\.self) },
            random: random,
            heartbeat: heartbeat
        )
        let routes = HTTPRoutes()
        api.addRoutes(to: routes)
        self.responder = routes.responder()
    }

    struct Answer {
        var status: HTTPResponse.Status
        var headers: HTTPFields
        var text: String

        var json: JSONTree {
            get throws { try JSONTree.read(ByteBuffer(string: self.text)) }
        }
    }

    /// - Parameter path: below `/admin/v1/`.
    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        headers: HTTPFields = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> Answer {
        var headers = headers
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let response: Response
        do {
            response = try await self.response(method, path, body, headers: headers, from: peer)
        } catch let problem as Problem {
            return Answer(status: problem.status, headers: problem.headers, text: "\(problem.code): \(problem.detail)")
        }
        let text = NIOLockedValueBox("")
        try await response.body.write(TextWriter(text: text))
        return Answer(status: response.status, headers: response.headers, text: text.withLockedValue(\.self))
    }

    func response(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        headers: HTTPFields = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> Response {
        let head = HTTPRequest(
            method: method,
            scheme: nil,
            authority: nil,
            path: "/admin/v1/\(path)",
            headerFields: headers
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let source = HTTPRequestSource(logger: logger, peer: peer, drain: self.drain)
        return try await self.responder.respond(to: request, context: HTTPRequestContext(source: source))
    }

    var audit: [AuditEntry] { self.directory.state.withLockedValue { $0.audit.map(\.entry) } }
}

/// Gathers what is written.
struct TextWriter: ResponseBodyWriter {
    let text: NIOLockedValueBox<String>

    mutating func write(_ buffer: ByteBuffer) async throws {
        self.text.withLockedValue { $0 += String(buffer: buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
