import HTTPTypes
package import RoomControl
package import RoomCore
import RoomModel

/// Decides who may call the admin API, and for what.
package struct AdminAuthenticator: Sendable {
    private let tokens: AdminTokens
    private let failedLogins: FailedLogins
    private let uptime: @Sendable () -> UInt64

    /// - Parameter uptime: monotonic nanoseconds.
    package init(tokens: AdminTokens, failedLogins: FailedLogins, uptime: @escaping @Sendable () -> UInt64) {
        self.tokens = tokens
        self.failedLogins = failedLogins
        self.uptime = uptime
    }

    /// Who calls. On the Unix socket the system has said who it is, and that is enough; anybody else shows a token.
    ///
    /// - Parameter scope: what the call needs.
    func caller(_ headers: HTTPFields, from peer: HTTPPeer, needing scope: AdminScope) throws(Problem) -> AdminCaller {
        if case .unix(let uid) = peer.transport { return AdminCaller(actor: "uid:\(uid)", origin: peer.origin) }
        guard peer.isConfidential else {
            throw Problem(
                .forbidden,
                Code.permissionDenied,
                "the admin API is answered over TLS, on this machine, and on the Unix socket only: a token would be "
                    + "readable on the way"
            )
        }
        let token = try self.token(headers, from: peer)
        guard token.scopes.contains(where: { $0.includes(scope) }) else {
            let own = AdminScope.allCases.filter(token.scopes.contains).map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .forbidden,
                Code.permissionDenied,
                "this needs the scope \(scope.rawValue); the token \(token.name) has \(own)",
                headers: [.wwwAuthenticate: "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""]
            )
        }
        return AdminCaller(actor: "token:\(token.name)", origin: peer.origin)
    }

    private func token(_ headers: HTTPFields, from peer: HTTPPeer) throws(Problem) -> AdminToken {
        let now = self.uptime()
        if let wait = self.failedLogins.retryAfter(peer.address, now: now) {
            throw Problem(
                RequestError(
                    .rateLimited,
                    "too many wrong tokens from this address: wait before the next attempt",
                    retryAfterMilliseconds: wait
                )
            )
        }
        guard let text = try Self.bearer(headers) else {
            throw Self.unauthorized(
                .authenticationRequired,
                "show an admin token as Authorization: Bearer \(AdminTokens.prefix)…, or use the Unix socket"
            )
        }
        guard let token = self.tokens.token(text) else {
            self.failedLogins.failed(peer.address, now: now)
            throw Self.unauthorized(.tokenInvalid, "this is no admin token of this broker")
        }
        guard !self.tokens.hasExpired(token) else {
            throw Self.unauthorized(.tokenExpired, "the admin token \(token.name) has expired: make another one")
        }
        return token
    }

    private static func bearer(_ headers: HTTPFields) throws(Problem) -> String? {
        let values = headers[values: .authorization]
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
        return Problem(.unauthorized, code, detail, headers: [.wwwAuthenticate: challenge])
    }
}
