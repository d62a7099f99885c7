import RoomModel

/// The stable word of a problem: one of the protocol's (`Code`), or one that only HTTP has a use for.
package struct ProblemCode: Hashable, Sendable, CustomStringConvertible {
    package let word: String

    init(_ code: Code) {
        self.word = code.rawValue
    }

    private init(word: String) {
        self.word = word
    }

    package var description: String { self.word }

    /// No such path.
    package static let notFound = ProblemCode(word: "not_found")
    package static let methodNotAllowed = ProblemCode(word: "method_not_allowed")
    package static let unsupportedMediaType = ProblemCode(word: "unsupported_media_type")
    /// No request as HTTP has them, or one that could be read in two ways.
    package static let malformedRequest = ProblemCode(word: "malformed_request")
    /// A path or header field, or all fields together.
    package static let fieldTooLarge = ProblemCode(word: "field_too_large")
    package static let requestTimeout = ProblemCode(word: "request_timeout")
    /// Too many requests of the address, or of all, are under way, or too many answers are not read.
    package static let tooManyRequests = ProblemCode(word: "too_many_requests")
    /// The path is for WebSocket, and the request asks for none.
    package static let upgradeRequired = ProblemCode(word: "upgrade_required")
    /// There is no event stream with this secret, or none any more.
    package static let unknownSession = ProblemCode(word: "unknown_session")
    /// Another version of WebSocket's protocol than 13.
    package static let versionUnsupported = ProblemCode(word: "version_unsupported")
    /// The `Host` is none of the broker's names.
    package static let hostUnknown = ProblemCode(word: "host_unknown")
    /// A page of another site may not call this.
    package static let originRefused = ProblemCode(word: "origin_refused")
    package static let bodyTooLarge = ProblemCode(word: "body_too_large")
    /// A field of a body, or a parameter of a query, that there is not.
    package static let unknownField = ProblemCode(word: "unknown_field")
    package static let unknownRoom = ProblemCode(word: "unknown_room")
    package static let unknownMember = ProblemCode(word: "unknown_member")
    package static let unknownMessage = ProblemCode(word: "unknown_message")
    package static let unknownToken = ProblemCode(word: "unknown_token")
    package static let unknownBackup = ProblemCode(word: "unknown_backup")
    /// Another one is being made or fetched.
    package static let backupUnderWay = ProblemCode(word: "backup_under_way")
    /// The nodes of a cluster cannot do that together yet.
    package static let clusterUpgrading = ProblemCode(word: "cluster_upgrading")
    /// The broker is not a node of a cluster.
    package static let noCluster = ProblemCode(word: "no_cluster")
    /// The broker has no data directory.
    package static let nothingKept = ProblemCode(word: "nothing_kept")
    /// The room has messages, so that it cannot take an import.
    package static let roomNotEmpty = ProblemCode(word: "room_not_empty")
    /// The room's log does not end where the part of an import before has.
    package static let historyMoved = ProblemCode(word: "history_moved")
    package static let channelExists = ProblemCode(word: "channel_exists")
    package static let tokenExists = ProblemCode(word: "token_exists")
    /// The broker serves no pages.
    package static let consoleOff = ProblemCode(word: "console_off")
    /// The console's session has ended, or there never was one.
    package static let sessionEnded = ProblemCode(word: "session_ended")
    /// The request has the cookie of the console, and not the token that goes with it.
    package static let csrfTokenMissing = ProblemCode(word: "csrf_token_missing")
    /// A flag of this start names the setting, so nobody else may change it.
    package static let settingLocked = ProblemCode(word: "setting_locked")
    /// The channel would be open to strangers.
    package static let channelExposed = ProblemCode(word: "channel_exposed")
    /// The cluster cannot promise that a message survives a power cut.
    package static let durabilityUnavailable = ProblemCode(word: "durability_unavailable")
    /// The thing is not what `If-Match` says any more.
    package static let versionDiffers = ProblemCode(word: "version_differs")
}
