package import RoomModel

/// A redacted text that the partition's log still has.
package struct TextErasure: Equatable, Sendable {
    package var room: RoomKey
    /// The log that had the message, of which these are the position and the stamp.
    package var epoch: Epoch
    package var seq: UInt64
    package var id: UniqueID
    package var text: TextMark
    /// Of the redaction: what the log has of the text stands before it.
    package var place: LogPlace

    package init(room: RoomKey, epoch: Epoch, seq: UInt64, id: UniqueID, text: TextMark, place: LogPlace) {
        self.room = room
        self.epoch = epoch
        self.seq = seq
        self.id = id
        self.text = text
        self.place = place
    }

    /// The name of the log that had the message, for who reads it (`LogReader`).
    package var log: LogID { PartitionRoom.log(of: self.room, in: self.epoch) }

    /// More of them than that wait only while nobody can reach the log; then the oldest are forgotten, and their texts stay there.
    static let limit = 65_536
}
