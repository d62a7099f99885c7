package import RoomCore
package import RoomModel

/// A redacted text that is to be erased from the log of a partition.
package struct PendingErasure: Sendable {
    package let partition: Int
    package let erasure: TextErasure
    /// How much of the room's history is kept; `nil`: none.
    package let kept: HistorySettings?

    init(partition: Int, _ erasure: TextErasure, kept: HistorySettings?) {
        self.partition = partition
        self.erasure = erasure
        self.kept = kept
    }
}
