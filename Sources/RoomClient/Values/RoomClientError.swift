public import Foundation
import RoomModel

/// The error type of this module.
///
/// Programs use the ``code``, which is stable. People read the ``message``, which also says how to correct the error.
public struct RoomClientError: Error, Sendable {
    /// A stable word for one kind of error: a word of the protocol (`docs/protocol.md`, table of codes) or one of this client.
    /// Newer brokers may send other words.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the protocol.
        public let rawValue: String

        /// Creates a code from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the protocol.
        public var description: String { self.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// The description of the error and its reason, in English.
    public let message: String
    /// The underlying error, such as that of the socket or of `JSONDecoder`.
    public let cause: (any Error)?
    /// Whether the same call may succeed later. The client itself retries publishes, and joins after a reconnection; all other
    /// calls throw the error immediately.
    public let isRetryable: Bool
    /// The time that the broker asks to wait before the next attempt; `nil` if it names none.
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
    /// The ``message``.
    public var errorDescription: String? { self.message }
}

extension RoomClientError: CustomStringConvertible {
    /// The code and the message, which also has the words of the ``cause``.
    public var description: String { "\(self.code): \(self.message)" }
}

extension RoomClientError.Code {
    /// As in the protocol's table of codes; errors with unknown words are not retried.
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
