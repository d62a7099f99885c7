package import RoomCore
package import RoomModel

/// What was taken back and the partition's log still has: a redacted text, or all messages of a cleared room.
package struct TextErasure: Equatable, Sendable {
    package var room: RoomKey
    /// The position that the redacted message had in the room's log; 0 for a clear.
    package var seq: UInt64
    /// The stamp of the redacted message, or of the clear.
    package var id: UniqueID
    /// `nil`: all texts of the room.
    package var text: TextMark?
    /// Of the redaction or the clear: what the log has of the texts stands before it.
    package var place: LogOffset

    /// More of them than that wait only while nobody can reach the log; then the oldest are forgotten, and their texts stay there.
    static let limit = 65_536
}
