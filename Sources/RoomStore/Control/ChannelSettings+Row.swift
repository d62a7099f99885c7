import GRDB
import RoomModel

extension ChannelSettings {
    /// A row of `channel` that makes no sense.
    struct InvalidRow: Error, CustomStringConvertible {
        let id: String

        var description: String { "the row of channel '\(self.id)' is not valid" }
    }

    init(row: Row) throws {
        let text: String = row["id"]
        let word: String = row["durability"]
        guard let id = ChannelID(text), let durability = Durability(rawValue: word) else { throw InvalidRow(id: text) }
        var history: HistorySettings?
        if let count: Int = row["history_count"], let age: Int64 = row["history_age_milliseconds"] {
            history = HistorySettings(count: count, age: .milliseconds(age))
        }
        let grace: Int64 = row["grace_milliseconds"]
        self.init(id: id, history: history, durability: durability, grace: .milliseconds(grace))
    }

    func upsert(_ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO channel (id, history_count, history_age_milliseconds, durability, grace_milliseconds)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET
                    history_count = excluded.history_count,
                    history_age_milliseconds = excluded.history_age_milliseconds,
                    durability = excluded.durability, grace_milliseconds = excluded.grace_milliseconds
                """,
            arguments: [
                self.id.text, self.history?.count, self.history?.age.wholeMilliseconds, self.durability.rawValue,
                self.grace.wholeMilliseconds,
            ]
        )
    }
}
