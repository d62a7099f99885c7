import RoomCore
import RoomModel

/// A text, or all texts of a room, to be erased from the log of a partition.
struct PendingErasure: Sendable {
    let partition: Int
    let erasure: TextErasure
    /// The log of the room as it is now, and how much of it is kept; `nil`: there is none.
    let stored: (log: LogID, history: HistorySettings)?

    /// - Parameter room: as it is now.
    init(partition: Int, _ erasure: TextErasure, _ room: Room?) {
        self.partition = partition
        self.erasure = erasure
        self.stored = room.flatMap { room in room.log.flatMap { log in room.settings.history.map { (log, $0) } } }
    }
}
