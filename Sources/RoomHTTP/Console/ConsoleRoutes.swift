import NIOCore
import NIOHTTP1
import RoomControl
import RoomCore
import RoomJSON
import RoomModel

/// `/console/session`: signs the browser of an operator in and out.
struct ConsoleRoutes: Sendable {
    private let authenticator: AdminAuthenticator
    private let sessions: ConsoleSessions
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: Unix milliseconds.
    init(
        authenticator: AdminAuthenticator,
        sessions: ConsoleSessions,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.authenticator = authenticator
        self.sessions = sessions
        self.clock = clock
    }

    func addRoutes(to routes: inout HTTPRoutes) {
        routes.on(.POST, "console/session") { request, context in try await self.begin(request, context) }
        routes.on(.GET, "console/session") { request, context in try self.show(request, context) }
        routes.on(.DELETE, "console/session") { request, context in try self.end(request, context) }
    }

    private func begin(_ request: HTTPRequest, _ context: HTTPRequestContext) async throws(Problem) -> HTTPResponse {
        let peer = context.peer
        try self.authenticator.checkSite(of: request)
        let caller = AdminCaller(actor: "console", origin: peer.origin)
        let call = try AdmittedCall(request, context, caller: caller, known: [])
        guard let body = try call.document() else {
            throw Problem(.badRequest, Code.missingField, "the request has no body: give {\"token\"} or {\"code\"}")
        }
        let reader = try DocumentReader(body, known: ["token", "code"])
        let token = try reader.text("token", "an admin token") { !$0.isEmpty }
        let code = try reader.text("code", "the code of a link") { !$0.isEmpty }
        let identity: AdminIdentity
        switch (token, code) {
        case (let token?, nil): identity = try self.authenticator.identity(token: token, from: peer)
        case (nil, let code?): identity = try self.authenticator.identity(code: code, from: peer)
        default: throw .invalid("a session begins with either token or code")
        }
        let session = self.sessions.begin(identity.holder)
        var response = self.document(identity, secondsLeft: session.secondsLeft, proof: session.proof)
        let cookie = ConsoleCookie(host: request.host)
        response.headers[field: "Set-Cookie"] = cookie.setting(session.id, isSecure: peer.transport == .tls)
        return response
    }

    private func show(_ request: HTTPRequest, _ context: HTTPRequestContext) throws(Problem) -> HTTPResponse {
        let (identity, seconds) = try self.authenticator.session(of: request, from: context.peer)
        return self.document(identity, secondsLeft: seconds, proof: nil)
    }

    private func end(_ request: HTTPRequest, _ context: HTTPRequestContext) throws(Problem) -> HTTPResponse {
        _ = try self.authenticator.session(of: request, from: context.peer)
        let cookie = ConsoleCookie(host: request.host)
        if let id = cookie.value(in: request.headers) { self.sessions.end(id) }
        var response = HTTPResponse.done
        response.headers[field: "Set-Cookie"] = cookie.removal
        return response
    }

    private func document(_ identity: AdminIdentity, secondsLeft: Int64, proof: String?) -> HTTPResponse {
        let scopes = AdminScope.allCases.filter(identity.scopes.contains).map { JSONTree.string($0.rawValue) }
        let fields: [JSONTree.Field] = [
            .init("name", .string(identity.actor)), .init("scopes", .array(scopes)),
            .init("expires_at", .time(milliseconds: self.clock() + secondsLeft * 1_000)),
        ]
        return .document(.object(fields + (proof.map { [.init("csrf", .string($0))] } ?? [])))
    }
}
