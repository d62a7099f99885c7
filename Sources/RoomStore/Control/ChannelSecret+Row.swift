import GRDB
import RoomCore
import RoomModel

extension ChannelSecret {
    /// Gives a channel that has none its first secret.
    static func storeFirst(_ db: Database, of channel: String) throws {
        var generator = SystemRandomNumberGenerator()
        try Self.store(db, [.random(using: &generator)], of: channel)
    }

    /// Puts these secrets in the place of the channel's.
    static func store(_ db: Database, _ secrets: [ChannelSecret], of channel: String) throws {
        try db.execute(sql: "DELETE FROM channel_secret WHERE channel = ?", arguments: [channel])
        let current = secrets.filter { $0.expires == nil }
        for (position, secret) in (current + secrets.filter { $0.expires != nil }).enumerated() {
            try db.execute(
                sql: "INSERT INTO channel_secret (channel, position, text, expires) VALUES (?, ?, ?, ?)",
                arguments: [channel, position, secret.text, secret.expires]
            )
        }
    }

    init(row: Row) {
        self.init(text: row["text"], expires: row["expires"])
    }
}
