import GRDB
import RoomCore
import RoomModel

/// A row of the table `sanction`.
struct StoredSanction {
    let channel: ChannelID
    let sanction: Sanction

    init(channel: ChannelID, sanction: Sanction) {
        self.channel = channel
        self.sanction = sanction
    }

    /// - Parameter time: Unix milliseconds; those that have ended by then are left out.
    static func fetchAll(_ db: Database, endingAfter time: Int64) throws -> [StoredSanction] {
        let sql = "SELECT * FROM sanction WHERE expires IS NULL OR expires > ?"
        return try Row.fetchAll(db, sql: sql, arguments: [time]).map { try StoredSanction(row: $0) }
    }

    static func delete(_ db: Database, _ key: Sanction.Key, of channel: ChannelID) throws {
        try db.execute(
            sql: """
                DELETE FROM sanction
                WHERE channel = ? AND kind = ? AND room = ? AND subject_kind = ? AND subject = ?
                """,
            arguments: [channel.text] + Self.columns(key)
        )
    }

    static func deleteEnded(_ db: Database, by time: Int64) throws {
        try db.execute(sql: "DELETE FROM sanction WHERE expires <= ?", arguments: [time])
    }

    func upsert(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO sanction (channel, kind, room, subject_kind, subject, reason, author, created, expires)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET
                    reason = excluded.reason, author = excluded.author, created = excluded.created,
                    expires = excluded.expires
                """,
            arguments: [self.channel.text] + Self.columns(self.sanction.key) + [
                self.sanction.reason?.withoutNUL, self.sanction.author.withoutNUL, self.sanction.created,
                self.sanction.expires,
            ]
        )
    }

    /// `kind`, `room`, `subject_kind` and `subject`.
    private static func columns(_ key: Sanction.Key) -> StatementArguments {
        let subject =
            switch key.subject {
            case .user(let user): ("user", user.withoutNUL)
            case .client(let client): ("client_id", client.text.withoutNUL)
            case .address(let range): ("address", "\(range)")
            }
        return [key.kind.rawValue, key.room?.text ?? "", subject.0, subject.1]
    }

    private init(row: Row) throws {
        let (channel, kind, room): (String, String, String) = (row["channel"], row["kind"], row["room"])
        func value<Value>(_ value: Value?, _ column: String) throws -> Value {
            guard let value else { throw InvalidRow(table: "sanction", key: channel, column: column) }
            return value
        }
        let text: String = row["subject"]
        let subject: SanctionSubject
        switch row["subject_kind"] as String {
        case "user": subject = .user(text)
        case "client_id": subject = .client(ClientID(text))
        case "address": subject = .address(try value(AddressRange(text), "subject"))
        default: throw InvalidRow(table: "sanction", key: channel, column: "subject_kind")
        }
        self.channel = try value(ChannelID(channel), "channel")
        self.sanction = Sanction(
            key: Sanction.Key(
                try value(Sanction.Kind(rawValue: kind), "kind"),
                of: subject,
                in: room.isEmpty ? nil : RoomName(room)
            ),
            reason: row["reason"],
            author: row["author"],
            created: row["created"],
            expires: row["expires"]
        )
    }
}
