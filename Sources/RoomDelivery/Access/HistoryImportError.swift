package import RoomModel

/// Why a part of an export has not become a room's history.
package enum HistoryImportError: Error, Equatable, Sendable {
    /// The room has messages already.
    case occupied
    /// The room's log does not end where the part before has.
    case movedOn
    /// A part has more bytes than can go through a cluster's log.
    case tooLarge(limit: Int)
    /// `unknown_channel`, `history_off`, `storage_unavailable`.
    case refused(RequestError)
}
