import RoomCore
import RoomModel

extension LogID {
    private static let roomBits: Int64 = 23
    /// The highest id that a room's row can have.
    static let highestRoom: Int64 = 1 << roomBits - 1
    private static let epochMask: UInt64 = 1 << 40 - 1

    /// The row's id, and above it 40 bits of the log's epoch: the id may be another room's once this log is cleared.
    init(_ room: RoomRow, generation: Int) {
        let epoch = Int64(room.epoch.rawValue & Self.epochMask)
        self.init(rawValue: epoch << Self.roomBits | room.id, generation: generation)
    }

    /// `RoomRow.id`.
    var room: Int64 { self.rawValue & (1 << Self.roomBits - 1) }

    /// Whether the row that has the id is still that of this log.
    func names(_ room: RoomRow) -> Bool {
        self == LogID(room, generation: self.generation)
    }
}
