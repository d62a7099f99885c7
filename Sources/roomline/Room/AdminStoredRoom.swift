import Foundation
import RoomAdmin
import RoomModel

/// Stored rooms as people read them.
enum StoredRoomTable {
    static func table(_ rooms: [AdminStoredRoom], in timeZone: TimeZone) -> Table {
        Table(
            [
                .number("BYTES"), .number("MESSAGES"), .number("MEMBERS"), .moment("OLDEST"), .moment("NEWEST"),
                .text("EPOCH"), .text("ROOM"),
            ],
            rooms.map { room in
                [
                    Cell(ShownSize.text(room.bytes, isEstimate: room.bytesAreEstimated)), Cell(room.messages),
                    Cell(room.members),
                    .optional(room.oldest) { ShownTime.moment($0, in: timeZone) },
                    .optional(room.newest) { ShownTime.moment($0, in: timeZone) }, Cell(room.epoch), Cell(room.name),
                ]
            }
        )
    }
}
