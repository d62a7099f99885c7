import Foundation

/// The stored data of a room, as the admin API shows them: `StoredRoom` in `Schemas/admin.openapi.yaml`.
struct AdminStoredRoom: AdminDocument, Decodable, Equatable, Sendable {
    let name: String
    let members: Int
    let messages: UInt64
    let bytes: UInt64
    let bytesAreEstimated: Bool
    /// `nil` where there is no message.
    let oldest: String?
    let newest: String?
    let epoch: String
}

/// Stored rooms as people read them.
enum StoredRoomTable {
    static func table(_ rooms: [AdminStoredRoom], in timeZone: TimeZone) -> Table {
        Table(
            [
                .number("BYTES"), .number("MESSAGES"), .number("MEMBERS"), .text("OLDEST"), .text("NEWEST"),
                .text("EPOCH"), .text("ROOM"),
            ],
            rooms.map { room in
                [
                    Cell((room.bytesAreEstimated ? "~" : "") + "\(room.bytes)"), Cell(room.messages),
                    Cell(room.members),
                    .optional(room.oldest) { ShownTime.moment($0, in: timeZone) },
                    .optional(room.newest) { ShownTime.moment($0, in: timeZone) }, Cell(room.epoch), Cell(room.name),
                ]
            }
        )
    }
}
