public import Foundation
import RoomClient

/// The error type of this module.
///
/// Programs use the ``code``, which is stable. People read the ``message``, which also says what would be right.
public struct AdminError: Error, Sendable {
    /// A stable word for one kind of error: a word of the admin API or one of this client. Newer brokers may send other words.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the API.
        public let rawValue: String

        /// Creates a code from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the API.
        public var description: String { self.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// The description of the error, and what to do about it, in English.
    public let message: String
    /// The HTTP status of a refusal; `nil` if the error is not the broker's.
    public let status: Int?
    /// The underlying error, such as that of the socket.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, status: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.cause = cause
    }
}

extension AdminError {
    /// - Parameter refusal: an answer whose status is no success.
    package init(refusal: AdminResponse, of address: AdminAddress) {
        // What is no problem document comes from something that is no broker.
        guard let problem = try? refusal.decode(as: Problem.self) else {
            self.init(
                .unexpectedAnswer,
                "\(address) answers \(refusal.status), but not as a broker's admin API",
                status: refusal.status
            )
            return
        }
        self.init(Code(rawValue: problem.code), problem.detail, status: refusal.status)
    }

    /// Why there is no answer.
    init(asking address: AdminAddress, _ cause: any Error) {
        if cause is CancellationError || Task.isCancelled {
            self.init(.cancelled, "the task that asked \(address) was cancelled", cause: cause)
        } else if let failure = cause as? TLSFailure {
            self.init(.unreachable, "\(address) cannot be reached over TLS: \(failure.reason)", cause: cause)
        } else {
            self.init(.unreachable, "\(address) does not answer (\(ErrorReason.text(cause)))", cause: cause)
        }
    }

    /// Why the admin API refuses something (RFC 9457).
    private struct Problem: Decodable {
        let code: String
        let detail: String
    }
}

extension AdminError: LocalizedError {
    /// The ``message``.
    public var errorDescription: String? { self.message }
}

extension AdminError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(self.code): \(self.message)" }
}

extension AdminError.Code {
    /// Nobody answers at the address, or the connection was lost before the answer was complete. What was asked for may have
    /// been done.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The task was cancelled. What was asked for may have been done.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The answer is not one of the admin API, or of one that this version does not understand.
    public static let unexpectedAnswer = Self(rawValue: "unexpected_answer")
    /// A URL is none of a broker, or a token would be sent over it unencrypted.
    public static let invalidAddress = Self(rawValue: "invalid_address")
    /// The file of the trusted certificates cannot be read.
    public static let invalidCertificates = Self(rawValue: "invalid_certificates")
    /// A JSON value cannot be written or is none.
    public static let encodingFailed = Self(rawValue: "encoding_failed")

    /// There is no token, and one is needed.
    public static let authenticationRequired = Self(rawValue: "authentication_required")
    /// The token is not one of the broker, or is deleted.
    public static let tokenInvalid = Self(rawValue: "token_invalid")
    /// The token has expired.
    public static let tokenExpired = Self(rawValue: "token_expired")
    /// The token does not have the scope that is needed.
    public static let permissionDenied = Self(rawValue: "permission_denied")
    /// There is no such channel.
    public static let unknownChannel = Self(rawValue: "unknown_channel")
    /// The channel is there already.
    public static let channelExists = Self(rawValue: "channel_exists")
    /// The channel has another version than the one that the change is for.
    public static let versionDiffers = Self(rawValue: "version_differs")
    /// A flag of the broker's start sets this, so it cannot be changed.
    public static let settingLocked = Self(rawValue: "setting_locked")
    /// The room has no members, or never was.
    public static let unknownRoom = Self(rawValue: "unknown_room")
    /// The room keeps no history.
    public static let historyOff = Self(rawValue: "history_off")
    /// The log of the room is not the one that was read or written before: the room was cleared meanwhile.
    public static let historyMoved = Self(rawValue: "history_moved")
    /// There is no member with this id.
    public static let memberNotFound = Self(rawValue: "member_not_found")
    /// There is no such message, or no longer.
    public static let messageNotFound = Self(rawValue: "message_not_found")
    /// There is no such ban or mute.
    public static let sanctionNotFound = Self(rawValue: "sanction_not_found")
    /// There is no admin token with this name.
    public static let unknownToken = Self(rawValue: "unknown_token")
    /// The broker cannot write now.
    public static let storageUnavailable = Self(rawValue: "storage_unavailable")
}
