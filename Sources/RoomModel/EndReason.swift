/// Why a connection ended: the first of the causes. Its word is one of `Code` wherever the broker ended a session.
package enum EndReason: Hashable, Sendable {
    /// The broker ended it, or had the system end it.
    case code(Code)
    /// The client ended its output, or sent a Close of WebSocket. A system does the same for a process that dies.
    case clientClosed
    /// The client's system does not know the connection any more, or it broke off without an end.
    case connectionReset
    /// The client's system did not answer.
    case connectionTimedOut
    /// There is no TLS with the client: it speaks something else, or one side has refused the other.
    case tlsFailed

    package static let all =
        Code.allCases.map(EndReason.code) + [.clientClosed, .connectionReset, .connectionTimedOut, .tlsFailed]

    /// Whether the client ended the connection, or was lost.
    package var isOfClient: Bool {
        switch self {
        case .code, .tlsFailed: false
        case .clientClosed, .connectionReset, .connectionTimedOut: true
        }
    }

    /// `nil`: the broker did not end a session.
    package var code: Code? { if case .code(let code) = self { code } else { nil } }

    package var word: String {
        switch self {
        case .code(let code): code.rawValue
        case .clientClosed: "client_closed"
        case .connectionReset: "connection_reset"
        case .connectionTimedOut: "connection_timed_out"
        case .tlsFailed: "tls_failed"
        }
    }
}
