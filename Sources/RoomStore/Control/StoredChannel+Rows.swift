import GRDB
import RoomCore
import RoomModel

extension StoredChannel {
    static func fetchAll(_ db: Database) throws -> [StoredChannel] {
        let secrets = Dictionary(
            grouping: try Row.fetchAll(db, sql: "SELECT * FROM channel_secret ORDER BY channel, position"),
            by: { row -> String in row["channel"] }
        )
        return try Row.fetchAll(db, sql: "SELECT * FROM channel ORDER BY id").map { row in
            try StoredChannel(row: row, secrets: secrets[row["id"]] ?? [])
        }
    }

    static func fetch(_ db: Database, _ id: ChannelID) throws -> StoredChannel? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM channel WHERE id = ?", arguments: [id.text])
        else { return nil }
        let secrets = try Row.fetchAll(
            db,
            sql: "SELECT * FROM channel_secret WHERE channel = ? ORDER BY position",
            arguments: [id.text]
        )
        return try StoredChannel(row: row, secrets: secrets)
    }

    /// The channel, which has to exist and be at `version` where one is given.
    static func fetch(_ db: Database, _ id: ChannelID, ifVersion version: Int64?) throws -> StoredChannel {
        guard let channel = try Self.fetch(db, id) else {
            throw ChannelDirectoryError(.notFound, text: "there is no channel '\(id)'")
        }
        guard let version, version != channel.version else { return channel }
        throw ChannelDirectoryError(
            .versionDiffers,
            text: "channel '\(id)' is at version \(channel.version), not \(version): read it again, then change it"
        )
    }

    /// Writes settings and version of a channel, new or not.
    func upsert(_ db: Database) throws {
        let columns = try self.settings.columns()
        let names = ["id", "version"] + columns.map(\.name)
        let values = [self.settings.id.text, self.version] + columns.map(\.value)
        try db.execute(
            sql: """
                INSERT INTO channel (\(names.joined(separator: ", ")))
                VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                ON CONFLICT DO UPDATE SET
                    \(names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """,
            arguments: StatementArguments(values)
        )
    }

    private init(row: Row, secrets: [Row]) throws {
        self.init(
            settings: try ChannelSettings(row: row),
            secrets: secrets.map { ChannelSecret(row: $0) },
            version: row["version"]
        )
    }
}
