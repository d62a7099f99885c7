import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel
import RoomTestKit

@testable import RoomHTTP
@testable import RoomMetrics

/// The admin API over a control plane of fakes.
@dynamicMemberLookup
struct AdminBench {
    static let local = HTTPPeer(transport: .unix(uid: 7), address: nil, isLocal: true)
    static let now = ControlBench.now

    let drain = DrainSignal()
    private let control: ControlBench
    private let routes: HTTPRoutes

    init(
        _ settings: [ChannelSettings] = [.make("talk", history: nil)],
        locks: [ChannelID: [ChannelLock]] = [:],
        failedLogins: FailedLogins = FailedLogins(),
        tokens stored: [StoredAdminToken] = [],
        heartbeat: Duration = .seconds(3_600),
        hasConsole: Bool = false,
        figures: FigureLog? = nil,
        storedRooms: (any StoredRoomList)? = nil,
        storedUsage: (any StoredUsageSource)? = nil,
        pruner: (any HistoryPruner)? = nil,
        cluster: (any ClusterReporter)? = nil
    ) throws {
        let control = try ControlBench(settings, locks: locks, tokens: stored)
        self.control = control
        let drawn = NIOLockedValueBox(0)
        let random: @Sendable () -> String = {
            let number = drawn.withLockedValue { number in
                number += 1
                return number
            }
            let digits = "\(number)"
            return String(repeating: "s", count: 43 - digits.count) + digits
        }
        let tokens = try AdminTokens(directory: control.directory, clock: { Self.now }, random: random)
        let sessions = hasConsole ? ConsoleSessions(random: random, uptime: { 1 }) : nil
        let api = AdminAPI(
            channels: control.registry,
            moderation: control.moderation,
            rooms: control.rooms,
            tokens: tokens,
            auditLog: AuditLog(
                directory: control.directory,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ),
            events: control.events,
            authenticator: AdminAuthenticator(
                tokens: tokens,
                failedLogins: failedLogins,
                uptime: { 1 },
                sessions: sessions
            ),
            frames: FrameLimits(),
            clock: { control.clock.withLockedValue(\.self) },
            random: random,
            figures: figures,
            storedRooms: storedRooms,
            storedUsage: storedUsage,
            pruner: pruner,
            cluster: cluster,
            version: "1.2.3",
            process: { ProcessFigures(startSeconds: 0, uptimeSeconds: 12.5, processorSeconds: 0.25) },
            console: sessions.map { ConsoleLinks(sessions: $0) { "http://127.0.0.1:10001/console" } },
            heartbeat: heartbeat
        )
        var routes = HTTPRoutes()
        api.addRoutes(to: &routes)
        self.routes = routes
    }

    struct Answer {
        var status: HTTPResponseStatus
        var headers: HTTPHeaders
        var text: String

        var json: JSONTree {
            get throws { try JSONTree.read(ByteBuffer(string: self.text)) }
        }
    }

    /// - Parameter path: below `/admin/v1/`.
    func call(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        headers: HTTPHeaders = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> Answer {
        try await self.call(method, at: "/admin/v1/\(path)", body, headers: headers, from: peer)
    }

    /// - Parameter path: the whole.
    func call(
        _ method: HTTPMethod,
        at path: String,
        _ body: String? = nil,
        headers: HTTPHeaders = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> Answer {
        var headers = headers
        if body != nil, headers[field: "Content-Type"] == nil { headers[field: "Content-Type"] = "application/json" }
        let response: HTTPResponse
        do {
            response = try await self.response(method, at: path, body, headers: headers, from: peer)
        } catch let problem as Problem {
            return Answer(status: problem.status, headers: problem.headers, text: "\(problem.code): \(problem.detail)")
        }
        return Answer(status: response.status, headers: response.headers, text: try await response.text)
    }

    func response(
        _ method: HTTPMethod,
        _ path: String,
        _ body: String? = nil,
        headers: HTTPHeaders = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> HTTPResponse {
        try await self.response(method, at: "/admin/v1/\(path)", body, headers: headers, from: peer)
    }

    func response(
        _ method: HTTPMethod,
        at path: String,
        _ body: String? = nil,
        headers: HTTPHeaders = [:],
        from peer: HTTPPeer = Self.local
    ) async throws -> HTTPResponse {
        let request = HTTPRequest.make(method, path, headers: headers, body: body)
        return try await self.routes.respond(to: request, .make(peer: peer, drain: self.drain))
    }

    subscript<Value>(dynamicMember part: KeyPath<ControlBench, Value>) -> Value { self.control[keyPath: part] }
}
