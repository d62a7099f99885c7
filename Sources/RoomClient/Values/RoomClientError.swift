public import Foundation
import RoomModel

/// What went wrong: the one error type of this module.
///
/// The ``code`` is stable and for programs, the ``message`` is for people and says what would be right.
public struct RoomClientError: Error, Sendable {
    /// A stable word for one kind of error: one of the broker's words (`docs/protocol.md`, table of codes) or one of this
    /// client's own. Newer brokers have newer words, so this is no closed list.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word as it stands on the wire.
        public let rawValue: String

        /// Takes any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word.
        public var description: String { self.rawValue }
    }

    /// Which kind of error this is.
    public let code: Code
    /// What was wrong and what would be right, in English.
    public let message: String
    /// The error beneath this one, such as that of the socket or of `JSONDecoder`.
    public let cause: (any Error)?
    /// Whether the same call may succeed later, unchanged. Publishes are retried by the client itself, and so is coming back
    /// into a room; everything else is thrown at once.
    public let isRetryable: Bool
    /// How long the broker asks to wait before the next try.
    public let retryAfter: Duration?

    init(
        _ code: Code,
        _ message: String,
        cause: (any Error)? = nil,
        isRetryable: Bool? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.isRetryable = isRetryable ?? code.isRetryable
        self.retryAfter = retryAfter
    }
}

extension RoomClientError: LocalizedError {
    /// The message, as an app's alert shows it.
    public var errorDescription: String? { self.message }
}

extension RoomClientError: CustomStringConvertible {
    /// The code and the message, and the cause where there is one.
    public var description: String {
        "\(self.code): \(self.message)" + (self.cause.map { " (\($0))" } ?? "")
    }
}

extension RoomClientError.Code {
    /// No connection could be opened: nobody listens there, the name is unknown, TLS failed.
    public static let connectionFailed = Self(rawValue: "connection_failed")
    /// The connection ended before the answer came.
    public static let connectionLost = Self(rawValue: "connection_lost")
    /// There is no connection, and what was asked cannot wait for one.
    public static let notConnected = Self(rawValue: "not_connected")
    /// The client was closed, or the room was left.
    public static let closed = Self(rawValue: "closed")
    /// The task that asked was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// There was no answer in time. Of a publish the outcome is unknown.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The outbox is full, and the client is configured to fail then.
    public static let outboxFull = Self(rawValue: "outbox_full")
    /// A value could not be written as JSON.
    public static let encodingFailed = Self(rawValue: "encoding_failed")
    /// JSON could not be read as the type that was asked for.
    public static let decodingFailed = Self(rawValue: "decoding_failed")
    /// The URL of the broker is none that this client can connect to.
    public static let invalidURL = Self(rawValue: "invalid_url")
    /// The app's token provider threw.
    public static let tokenProviderFailed = Self(rawValue: "token_provider_failed")
    /// The other side does not speak Roomline's protocol.
    public static let protocolViolation = Self(rawValue: "protocol_violation")
    /// This client is in that room already: use the `Room` there is.
    public static let alreadyJoined = Self(rawValue: "already_joined")

    /// The broker has no such channel.
    public static let unknownChannel = Self(.unknownChannel)
    /// The room's name is empty, too long, or has control characters.
    public static let roomNameInvalid = Self(.roomNameInvalid)
    /// The room has no presence: its name does not start with `observable-`.
    public static let notObservable = Self(.notObservable)
    /// The channel keeps no history.
    public static let historyOff = Self(.historyOff)
    /// The channel wants a token.
    public static let authenticationRequired = Self(.authenticationRequired)
    /// The token is not one of this channel.
    public static let tokenInvalid = Self(.tokenInvalid)
    /// The token was good once.
    public static let tokenExpired = Self(.tokenExpired)
    /// The token does not allow that.
    public static let permissionDenied = Self(.permissionDenied)
    /// This client is not to come back.
    public static let banned = Self(.banned)
    /// Too many requests; see ``RoomClientError/retryAfter``.
    public static let rateLimited = Self(.rateLimited)
    /// The message is larger than the broker allows.
    public static let messageTooLarge = Self(.messageTooLarge)
    /// The broker's store did not confirm.
    public static let storageUnavailable = Self(.storageUnavailable)
    /// Another connection has resumed this session.
    public static let replaced = Self(.replaced)
    /// The broker is being stopped.
    public static let shuttingDown = Self(.shuttingDown)

    private init(_ code: RoomModel.Code) {
        self.init(rawValue: code.rawValue)
    }

    /// What the protocol's table of codes says of this word; of unknown words nothing is retried.
    var isRetryable: Bool {
        switch self {
        case .connectionFailed, .connectionLost, .notConnected, .timedOut, .outboxFull, .tokenProviderFailed: true
        default: RoomModel.Code(rawValue: self.rawValue)?.isRetryable ?? false
        }
    }
}

extension RoomClientError {
    static let cancelled = RoomClientError(.cancelled, "the task was cancelled before the answer came")
    static let closed = RoomClientError(.closed, "the client was closed")
    static let left = RoomClientError(.closed, "the room was left")
}
