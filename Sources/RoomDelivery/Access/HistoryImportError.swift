package import RoomModel

/// Why a part of an export has not become a room's history.
package enum HistoryImportError: Error, Equatable, Sendable {
    /// The room has messages already.
    case occupied
    /// The room's log does not end where the part before has.
    case movedOn
    /// A part has more bytes than the log of several nodes takes.
    case tooLarge(limit: Int)
    /// `unknown_channel`, `history_off`, `storage_unavailable`.
    case refused(RequestError)

    /// The history was not reached, so that the part may be stored or not.
    package static let isUnknown = HistoryImportError.refused(
        RequestError(
            .storageUnavailable,
            "the history cannot be written now, and it is unknown whether this part was stored",
            retryAfterMilliseconds: 1_000
        )
    )
}
