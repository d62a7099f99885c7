import NIOHTTP1
package import RoomControl
package import RoomCore
import RoomModel

/// Decides who may call the admin API, and for what.
package struct AdminAuthenticator: Sendable {
    private let tokens: AdminTokens
    private let failedLogins: FailedLogins
    private let uptime: @Sendable () -> UInt64
    /// `nil`: there is no console.
    private let sessions: ConsoleSessions?

    /// - Parameter uptime: monotonic nanoseconds.
    package init(
        tokens: AdminTokens,
        failedLogins: FailedLogins,
        uptime: @escaping @Sendable () -> UInt64,
        sessions: ConsoleSessions? = nil
    ) {
        self.tokens = tokens
        self.failedLogins = failedLogins
        self.uptime = uptime
        self.sessions = sessions
    }

    /// Finds out the caller. On the Unix socket the system has said who it is, and that is enough; anybody else shows a
    /// token, or has a session of the console.
    ///
    /// - Parameters:
    ///   - scope: what the call needs.
    ///   - isUse: a session lasts longer for it, if a person has asked.
    func caller(
        _ request: HTTPRequest,
        from peer: HTTPPeer,
        needing scope: AdminScope,
        isUse: Bool = true
    ) throws(Problem) -> AdminCaller {
        if case .unix(let uid) = peer.transport { return AdminCaller(actor: "uid:\(uid)", origin: peer.origin) }
        let identity: AdminIdentity
        if request.headers.contains(name: "Authorization") || self.cookie(of: request) == nil {
            try self.checkWay(peer)
            try self.checkRate(peer)
            guard let text = try Self.bearer(request.headers) else {
                throw Self.unauthorized(
                    .authenticationRequired,
                    "show an admin token as Authorization: Bearer \(AdminTokens.prefix)…, or use the Unix socket"
                )
            }
            identity = try self.identity(token: text, from: peer)
        } else {
            identity = try self.session(of: request, from: peer, isUse: isUse).identity
        }
        guard identity.scopes.contains(where: { $0.includes(scope) }) else {
            let own = AdminScope.allCases.filter(identity.scopes.contains).map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .forbidden,
                Code.permissionDenied,
                "this needs the scope \(scope.rawValue); the token \(identity.name) has \(own)",
                headers: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""]
            )
        }
        return AdminCaller(actor: identity.actor, origin: peer.origin)
    }

    /// The token or the session that was shown with the request still holds.
    func stillLetsIn(_ request: HTTPRequest, from peer: HTTPPeer, for scope: AdminScope) -> Bool {
        (try? self.caller(request, from: peer, needing: scope, isUse: false)) != nil
    }

    private func checkWay(_ peer: HTTPPeer) throws(Problem) {
        guard !peer.isConfidential else { return }
        throw Problem(
            .forbidden,
            Code.permissionDenied,
            "the admin API is answered over TLS, on this machine, and on the Unix socket only: a token would be "
                + "readable on the way"
        )
    }

    private func checkRate(_ peer: HTTPPeer) throws(Problem) {
        guard let wait = self.failedLogins.retryAfter(peer.address, now: self.uptime()) else { return }
        throw Problem(
            RequestError(
                .rateLimited,
                "too many wrong tokens from this address: wait before the next attempt",
                retryAfterMilliseconds: wait
            )
        )
    }

    // MARK: Proofs

    /// Finds the identity that the token belongs to.
    func identity(token text: String, from peer: HTTPPeer) throws(Problem) -> AdminIdentity {
        try self.checkWay(peer)
        try self.checkRate(peer)
        guard let token = self.tokens.token(text) else {
            self.failedLogins.failed(peer.address, now: self.uptime())
            throw Self.unauthorized(.tokenInvalid, "this is not an admin token of this broker")
        }
        guard !self.tokens.hasExpired(token) else {
            throw Self.unauthorized(.tokenExpired, "the admin token \(token.name) has expired: make another one")
        }
        return AdminIdentity(token)
    }

    /// For whom a link was made.
    func identity(code: String, from peer: HTTPPeer) throws(Problem) -> AdminIdentity {
        try self.checkWay(peer)
        try self.checkRate(peer)
        guard let holder = self.sessions?.redeem(code), let identity = self.identity(of: holder) else {
            self.failedLogins.failed(peer.address, now: self.uptime())
            throw Self.unauthorized(
                .tokenInvalid,
                "the link has been used or has expired: make another one with roomline console"
            )
        }
        return identity
    }

    /// Finds the identity that the session of the console belongs to, and how many seconds it lasts.
    func session(
        of request: HTTPRequest,
        from peer: HTTPPeer,
        isUse: Bool = true
    ) throws(Problem) -> (identity: AdminIdentity, secondsLeft: Int64) {
        try self.checkWay(peer)
        try self.checkSite(of: request)
        guard let sessions, let id = self.cookie(of: request) else { throw Self.sessionEnded }
        let proof = request.headers[field: "X-Roomline-CSRF"]
        // the page asks by itself: nobody has touched it since its last request
        let isUnattended = request.headers.contains(name: "X-Roomline-Unattended")
        switch sessions.find(id, proof: proof, isUse: isUse && !isUnattended) {
        case .ended: throw Self.sessionEnded
        case .proofMissing:
            throw Problem(
                .forbidden,
                .csrfTokenMissing,
                "X-Roomline-CSRF has to be the csrf that the session's beginning answered"
            )
        case .found(let holder, let seconds):
            guard let identity = self.identity(of: holder) else {
                sessions.end(id)
                throw Self.sessionEnded
            }
            return (identity, seconds)
        }
    }

    /// Only the broker's own pages begin a session of the console, and use it.
    func checkSite(of request: HTTPRequest) throws(Problem) {
        guard let site = request.headers[field: "Sec-Fetch-Site"], site != "same-origin" else {
            return
        }
        throw Problem(.forbidden, .originRefused, "only the broker's own pages can use the console's session")
    }

    private func cookie(of request: HTTPRequest) -> String? {
        self.sessions == nil ? nil : ConsoleCookie(host: request.host).value(in: request.headers)
    }

    /// `nil`: the token has been deleted, or has expired.
    private func identity(of holder: ConsoleSessions.Holder) -> AdminIdentity? {
        switch holder {
        case .user(let uid): AdminIdentity(uid: uid)
        case .token(let hash):
            self.tokens.all.first { $0.hash == hash && !self.tokens.hasExpired($0) }.map { AdminIdentity($0) }
        }
    }

    private static let sessionEnded = Problem(
        .unauthorized,
        .sessionEnded,
        "there is no such session, or it has ended: sign in again",
        headers: ["WWW-Authenticate": "Bearer realm=\"roomline admin\""]
    )

    private static func bearer(_ headers: HTTPHeaders) throws(Problem) -> String? {
        let values = headers["Authorization"]
        guard let value = values.first else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw self.unauthorized(.tokenInvalid, "Authorization has to be Bearer and one admin token")
        }
        return parts[1].trimmingPrefix { $0 == " " }.description
    }

    private static func unauthorized(_ code: Code, _ detail: String) -> Problem {
        let challenge =
            code == .authenticationRequired
            ? "Bearer realm=\"roomline admin\"" : "Bearer realm=\"roomline admin\", error=\"invalid_token\""
        return Problem(.unauthorized, code, detail, headers: ["WWW-Authenticate": challenge])
    }
}

/// A caller that has proved its identity, and what that lets it do.
struct AdminIdentity: Sendable {
    /// The name of the token, or of the user.
    let name: String
    /// As the audit log names it.
    let actor: String
    let scopes: Set<AdminScope>
    let holder: ConsoleSessions.Holder

    init(_ token: StoredAdminToken) {
        self.name = token.name
        self.actor = "token:\(token.name)"
        self.scopes = token.scopes
        self.holder = .token(hash: token.hash)
    }

    init(uid: UInt32) {
        self.name = "uid:\(uid)"
        self.actor = self.name
        self.scopes = [.manage]
        self.holder = .user(uid: uid)
    }
}
