package import Logging
import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
package import RoomMetrics
package import RoomModel

/// Everything between a request and its answer: who may call at all, then REST for the names that can be channels and the
/// routes for those that cannot.
package struct HTTPFront: Sendable {
    package let drain: DrainSignal
    let load: HTTPLoad
    private let rest: RESTAPI
    private let routes: HTTPRoutes
    private let events: EventsAPI?
    private let hosts: HostRule
    private let servesPages: Bool
    let isOnThisMachineOnly: Bool
    private let trustedProxies: [AddressRange]
    private let isCutOff: @Sendable () -> Bool
    private let clock: HTTPClock
    private let date = HTTPDate()
    private let instruments: HTTPInstruments?
    private let logger: Logger
    private let ends: ReportLimit

    /// - Parameters:
    ///   - routes: all but REST.
    ///   - events: takes what is posted to event streams; `nil`: there are none.
    ///   - servesPages: the routes are for the broker's own pages, too.
    ///   - isOnThisMachineOnly: nobody else can reach the broker.
    ///   - trustedProxies: whose `X-Forwarded-For` is taken.
    ///   - isCutOff: the broker may not know what its cluster has agreed on: nobody reads or changes a room through it.
    package init(
        rest: RESTAPI,
        routes: HTTPRoutes,
        events: EventsAPI? = nil,
        hosts: HostRule,
        servesPages: Bool = false,
        isOnThisMachineOnly: Bool = true,
        trustedProxies: [AddressRange] = [],
        isCutOff: @escaping @Sendable () -> Bool = { false },
        drain: DrainSignal,
        load: HTTPLoad = HTTPLoad(),
        clock: HTTPClock,
        instruments: HTTPInstruments? = nil,
        logger: Logger
    ) {
        self.drain = drain
        self.load = load
        self.rest = rest
        self.routes = routes
        self.events = events
        self.hosts = hosts
        self.servesPages = servesPages
        self.isOnThisMachineOnly = isOnThisMachineOnly
        self.trustedProxies = trustedProxies
        self.isCutOff = isCutOff
        self.clock = clock
        self.instruments = instruments
        self.logger = logger
        self.ends = ReportLimit(now: clock.uptime)
    }

    /// The limits of requests that concern rooms.
    var frameLimits: FrameLimits { self.rest.limits }

    @Sendable func dateText() -> String { self.date.text(at: self.clock.unixSeconds()) }

    /// The answer to one request; every request has one.
    ///
    /// - Parameters:
    ///   - slot: that of the connection, which leaves it when the answer has gone out.
    ///   - work: what the connection is charged.
    ///   - problem: what was wrong with a request for a WebSocket or an event stream.
    func respond(
        to request: HTTPRequest,
        from peer: HTTPPeer,
        in slot: HTTPLoad.Slot,
        charging work: RequestWork,
        refusing problem: Problem? = nil
    ) async -> HTTPResponse {
        let caller = self.caller(request, peer)
        let begin = self.clock.uptime()
        var pattern = HTTPInstruments.noRoute
        var response: HTTPResponse
        if let problem = self.refusal(of: request, from: caller, in: slot) {
            response = HTTPPath.isAdmin(request.target) ? .problem(problem) : .failed(problem)
        } else if let problem {
            pattern = EventsAPI.isFor(request) ? EventsAPI.path : WebSocketAnswer.path
            response = .failed(problem)
        } else if let events, EventsAPI.isFor(request) {
            pattern = EventsAPI.path
            response = await events.respond(to: request, handingOver: slot.handOverBody)
        } else if HTTPPath.isReserved(request.target) {
            response = await self.route(request, caller, &pattern, charging: work)
        } else if self.isCutOff() {
            response = .failed(Problem(Self.cutOff))
        } else {
            response = await self.rest.respond(to: request, from: caller, &pattern, charging: work)
        }
        self.instruments?.answered(
            request.method.rawValue,
            pattern,
            Int(response.status.code),
            nanoseconds: Int64(clamping: self.clock.uptime() - begin)
        )
        if EventsAPI.isFor(request), let origin = request.headers[field: "Origin"] { response.share(with: origin) }
        if response.headers[field: "Cache-Control"] == nil { response.headers[field: "Cache-Control"] = "no-store" }
        response.headers[field: "X-Content-Type-Options"] = "nosniff"
        response.headers[field: "Date"] = self.dateText()
        return request.method == .HEAD ? response.withoutBody : response
    }

    private static let cutOff = RequestError(
        .storageUnavailable,
        "this node does not hear from its cluster; ask again, or another node",
        retryAfterMilliseconds: 1_000
    )

    func isTrustedProxy(_ address: IPAddress?) -> Bool {
        address.map { self.trustedProxies.contains($0) } ?? false
    }

    /// Counts a request after whose answer the connection is none of HTTP any more.
    func countDeparture(_ path: String, _ status: HTTPResponseStatus) {
        self.instruments?.answered("GET", path, Int(status.code), nanoseconds: 0)
    }

    /// Counts and logs the end of a connection that sent no request, but something malformed, too large or too slow.
    func ended(by problem: Problem, from peer: HTTPPeer) {
        self.instruments?.answered("other", HTTPInstruments.noRoute, Int(problem.status.code), nanoseconds: 0)
        self.tellEnd(problem.code.word, problem.detail, of: peer)
    }

    /// Logs the end of a connection whose TLS has failed.
    func ended(withoutTLS reason: String, from peer: HTTPPeer) {
        self.tellEnd(EndReason.tlsFailed.word, reason, of: peer)
    }

    private func tellEnd(_ code: String, _ reason: String, of peer: HTTPPeer) {
        guard self.logger.logLevel <= .info, let unreported = self.ends.take() else { return }
        var metadata: Logger.Metadata = [
            "code": "\(code)", "reason": "\(reason)",
            "peer.address": "\(peer.address.map { "\($0)" } ?? "unknown")",
        ]
        if unreported > 0 { metadata["unreported"] = "\(unreported)" }
        self.logger.info("ended an HTTP connection", metadata: metadata)
    }

    private static let forwarding = ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"]

    /// The caller, by the word of a proxy that is trusted.
    func caller(_ request: HTTPRequest, _ peer: HTTPPeer) -> HTTPPeer {
        if case .unix = peer.transport { return peer }
        var caller = peer
        let forwarded = request.headers["X-Forwarded-For"]
        if !forwarded.isEmpty {
            caller.address = ForwardedFor.client(forwarded, peer: peer.address, trusted: self.trustedProxies)
        }
        // somebody on this machine who speaks for others, trusted or not
        if Self.forwarding.contains(where: { request.headers.contains(name: $0) }) { caller.isLocal = false }
        // a page of a site whose name leads here
        if !HostRule.loopback().allows(request.host) { caller.isLocal = false }
        return caller
    }

    /// Why nobody gets an answer to this request; otherwise it has its place in `slot`.
    func refusal(of request: HTTPRequest, from caller: HTTPPeer, in slot: HTTPLoad.Slot) -> Problem? {
        if case .unix = caller.transport { return nil }
        guard self.hosts.allows(request.host) else {
            return Problem(
                .misdirectedRequest,
                .hostUnknown,
                "this broker listens on loopback only and accepts the name localhost; list other names with --http-host"
            )
        }
        if HTTPPath.isHealth(request.target) { return nil }
        guard self.drain.isOn else { return slot.enter(caller.address) }
        return Problem(RequestError(.shuttingDown, "the broker is shutting down; come back in a moment"))
    }

    private func route(
        _ request: HTTPRequest,
        _ caller: HTTPPeer,
        _ pattern: inout String,
        charging work: RequestWork
    ) async -> HTTPResponse {
        let path = request.target
        do {
            if !HTTPPath.isHealth(path) { try self.checkOrigin(of: request, from: caller) }
            let context = HTTPRequestContext(peer: caller, drain: self.drain, work: work)
            return try await self.routes.respond(to: request, context, &pattern)
        } catch let problem as Problem {
            return HTTPPath.isAdmin(path) ? .problem(problem) : .failed(problem)
        } catch {
            self.logger.error("a request could not be answered", metadata: ["error": "\(error)"])
            let problem = Problem(.internalServerError, .internal, "the broker could not answer this")
            return HTTPPath.isAdmin(path) ? .problem(problem) : .failed(problem)
        }
    }
}

extension HTTPFront {
    /// Only the broker's own pages may call what is not REST.
    private func checkOrigin(of request: HTTPRequest, from caller: HTTPPeer) throws(Problem) {
        guard let page = WebPage(request, isOnThisMachineOnly: self.isOnThisMachineOnly) else { return }
        guard self.servesPages, page.isOwn(withTLS: caller.transport == .tls) else {
            throw Problem(.forbidden, .originRefused, "web pages of other origins cannot call this")
        }
    }
}

/// Which half of the HTTP side a path belongs to. The first name decides, as it stands: no channel can have these.
enum HTTPPath {
    static func isReserved(_ path: String) -> Bool {
        let name = self.firstName(path)
        return PageRoutes.isPage(name) || ChannelID.reserved.contains(String(name))
    }

    /// Errors are problem details there.
    static func isAdmin(_ path: String) -> Bool { ["admin", "console"].contains(self.firstName(path)) }

    static func isHealth(_ path: String) -> Bool { self.firstName(path) == "health" }

    private static func firstName(_ path: String) -> Substring {
        path.dropFirst().prefix { $0 != "/" && $0 != "?" }
    }
}
