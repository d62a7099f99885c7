import NIOConcurrencyHelpers
import RoomCrypto

/// The sessions of the console, and the links that begin one. Both are known here by their hashes alone, and end with the
/// process.
///
/// A session is a secret in a cookie, which a page's scripts cannot read, and a second one that the page shows in a header,
/// which no other site can send. Nobody gets in with one of them.
package final class ConsoleSessions: Sendable {
    /// Times in nanoseconds.
    struct Limits {
        /// Beyond that, the one that was not used for longest ends.
        var sessions = 100
        var links = 100
        var lasting: UInt64 = 8 * 3_600 * 1_000_000_000
        var idle: UInt64 = 30 * 60 * 1_000_000_000
        var link: UInt64 = 60 * 1_000_000_000
    }

    /// The person or token that is signed in.
    enum Holder: Equatable, Sendable {
        /// Whoever showed the admin token with this hash. The session may do what the token may, for as long.
        case token(hash: [UInt8])
        /// A user of the Unix socket, who may do everything.
        case user(uid: UInt32)
    }

    private struct Session {
        let holder: Holder
        let proof: SHA256Digest
        let begin: UInt64
        var lastUse: UInt64
    }

    private struct State {
        var sessions: [String: Session] = [:]
        var links: [String: (holder: Holder, begin: UInt64)] = [:]

        mutating func removeOld(_ limits: Limits, now: UInt64) {
            self.sessions = self.sessions.filter {
                now - $0.value.begin < limits.lasting && now - $0.value.lastUse < limits.idle
            }
            self.links = self.links.filter { now - $0.value.begin < limits.link }
        }
    }

    private let limits: Limits
    private let random: @Sendable () -> String
    private let uptime: @Sendable () -> UInt64
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - random: 256 random bits in base64url.
    ///   - uptime: monotonic nanoseconds.
    package convenience init(random: @escaping @Sendable () -> String, uptime: @escaping @Sendable () -> UInt64) {
        self.init(limits: Limits(), random: random, uptime: uptime)
    }

    init(limits: Limits, random: @escaping @Sendable () -> String, uptime: @escaping @Sendable () -> UInt64) {
        self.limits = limits
        self.random = random
        self.uptime = uptime
    }

    // MARK: Sessions

    struct NewSession {
        /// The secret of the cookie, and that of the header. Nobody can ask for them again.
        let id, proof: String
        /// Until the session ends, if it is used until then.
        let secondsLeft: Int64
    }

    func begin(_ holder: Holder) -> NewSession {
        let (id, proof) = (self.random(), self.random())
        self.withState { state, now in
            if state.sessions.count >= self.limits.sessions,
                let oldest = state.sessions.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.sessions[oldest.key] = nil
            }
            state.sessions[Self.hash(id).hex] = Session(
                holder: holder,
                proof: Self.hash(proof),
                begin: now,
                lastUse: now
            )
        }
        return NewSession(id: id, proof: proof, secondsLeft: Int64(self.limits.lasting / 1_000_000_000))
    }

    enum Finding: Equatable {
        /// Seconds until the session ends, if it is used until then.
        case found(Holder, secondsLeft: Int64)
        case proofMissing
        case ended
    }

    /// Finds the holder of the session.
    ///
    /// - Parameter isUse: a person has asked, and not a page that nobody looks at. The session ends without use.
    func find(_ id: String, proof: String?, isUse: Bool = true) -> Finding {
        let key = Self.hash(id).hex
        return self.withState { state, now in
            guard let session = state.sessions[key] else { return .ended }
            guard let proof, session.proof == Self.hash(proof) else { return .proofMissing }
            if isUse { state.sessions[key]?.lastUse = now }
            let left = self.limits.lasting - (now - session.begin)
            return .found(session.holder, secondsLeft: Int64(left / 1_000_000_000))
        }
    }

    func end(_ id: String) {
        self.state.withLockedValue { $0.sessions[Self.hash(id).hex] = nil }
    }

    // MARK: Links

    var linkSeconds: Int64 { Int64(self.limits.link / 1_000_000_000) }

    /// - Returns: what begins a session, once.
    func makeLink(for holder: Holder) -> String {
        let code = self.random()
        self.withState { state, now in
            if state.links.count >= self.limits.links,
                let oldest = state.links.min(by: { $0.value.begin < $1.value.begin })
            {
                state.links[oldest.key] = nil
            }
            state.links[Self.hash(code).hex] = (holder, now)
        }
        return code
    }

    /// - Returns: `nil` where there is no such link any more.
    func redeem(_ code: String) -> Holder? {
        self.withState { state, _ in state.links.removeValue(forKey: Self.hash(code).hex)?.holder }
    }

    /// Old sessions and links are removed first. The time is read under the lock: it is never earlier than a time in
    /// the state.
    private func withState<Result>(_ body: (inout State, UInt64) -> Result) -> Result {
        self.state.withLockedValue { state in
            let now = self.uptime()
            state.removeOld(self.limits, now: now)
            return body(&state, now)
        }
    }

    private static func hash(_ text: String) -> SHA256Digest { SHA256.hash(Array(text.utf8)) }
}
