import GRDB
import RoomCore
import RoomModel

/// A row of the table `room_rules`.
struct StoredRoomRules {
    let room: RoomKey
    let rules: RoomRules

    init(room: RoomKey, rules: RoomRules) {
        self.room = room
        self.rules = rules
    }

    static func fetchAll(_ db: Database) throws -> [StoredRoomRules] {
        try Row.fetchAll(db, sql: "SELECT * FROM room_rules").map { try StoredRoomRules(row: $0) }
    }

    /// Puts the rules in the place of the room's; empty ones are no row.
    func replace(_ db: Database) throws {
        let (channel, name) = (self.room.channel.text, self.room.room.text)
        try db.execute(sql: "DELETE FROM room_rules WHERE channel = ? AND room = ?", arguments: [channel, name])
        if self.rules.isEmpty { return }
        try db.execute(
            sql: """
                INSERT INTO room_rules (channel, room, locked, lock_reason, slow_mode_seconds, member_limit)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                channel, name, self.rules.isLocked, self.rules.lockReason?.withoutNUL, self.rules.slowMode,
                self.rules.memberLimit,
            ]
        )
    }

    private init(row: Row) throws {
        let channel: String = row["channel"]
        guard let id = ChannelID(channel) else {
            throw InvalidRow(table: "room_rules", key: channel, column: "channel")
        }
        self.room = RoomKey(channel: id, room: RoomName(row["room"]))
        var rules = RoomRules()
        rules.isLocked = row["locked"]
        rules.lockReason = row["lock_reason"]
        rules.slowMode = row["slow_mode_seconds"]
        rules.memberLimit = row["member_limit"]
        self.rules = rules
    }
}
