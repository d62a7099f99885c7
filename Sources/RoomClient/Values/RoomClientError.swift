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
