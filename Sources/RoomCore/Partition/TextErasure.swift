package import RoomModel

/// A redacted text that the partition's log still has.
package struct TextErasure: Equatable, Sendable {
    package var room: RoomKey
    /// The position that the message had in the room's log, and its stamp.
    package var seq: UInt64
    package var id: UniqueID
    package var text: TextMark
    /// Of the redaction: what the log has of the text stands before it.
    package var place: LogPlace

    package init(room: RoomKey, seq: UInt64, id: UniqueID, text: TextMark, place: LogPlace) {
        self.room = room
        self.seq = seq
        self.id = id
        self.text = text
        self.place = place
    }

    /// More of them than that wait only while nobody can reach the log; then the oldest are forgotten, and their texts stay there.
    static let limit = 65_536
}
