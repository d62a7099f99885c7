import GRDB
import RoomModel

extension ChannelSettings {
    /// The columns of `channel` that hold settings, and what these settings are in them. Durations are in milliseconds.
    func columns() throws -> KeyValuePairs<String, (any DatabaseValueConvertible)?> {
        [
            "name": self.name.withoutNUL,
            "authentication": self.authentication.rawValue,
            "token_expiry": self.tokenExpiry.rawValue,
            "history_count": self.history?.count,
            "history_age_milliseconds": self.history?.age.wholeMilliseconds,
            "history_rules": try JSONColumn.text(self.historyRules.map(StoredHistoryRule.init)),
            "history_order": self.historyOrder.rawValue,
            "durability": self.durability.rawValue,
            "presence": self.presence.rawValue,
            "members_listed": self.membersListed,
            "auth_data_stamps": self.authDataStamps.rawValue,
            "allowed_origins": try JSONColumn.text(self.allowedOrigins),
            "connections": self.limits.connections,
            "rooms": self.limits.rooms,
            "new_room_rate": self.limits.newRoomRate,
            "member_new_room_rate": self.limits.memberNewRoomRate,
            "members_per_room": self.limits.membersPerRoom,
            "message_bytes": self.limits.messageBytes,
            "publish_rate": self.limits.publishRate,
            "member_publish_rate": self.limits.memberPublishRate,
            "grace_milliseconds": self.grace.wholeMilliseconds,
        ]
    }

    init(row: Row) throws {
        let text: String = row["id"]
        guard let id = ChannelID(text) else { throw InvalidRow(table: "channel", key: text, column: "id") }
        let rules = try JSONColumn.value([StoredHistoryRule].self, of: row, "history_rules", key: text)
        self.init(
            id: id,
            name: row["name"],
            authentication: try row.word("authentication", key: text),
            tokenExpiry: try row.word("token_expiry", key: text),
            history: HistorySettings(count: row["history_count"], milliseconds: row["history_age_milliseconds"]),
            historyRules: rules.map(\.rule),
            historyOrder: try row.word("history_order", key: text),
            durability: try row.word("durability", key: text),
            presence: try row.word("presence", key: text),
            membersListed: row["members_listed"],
            authDataStamps: try row.word("auth_data_stamps", key: text),
            allowedOrigins: try JSONColumn.value([String].self, of: row, "allowed_origins", key: text),
            limits: ChannelLimits(row: row),
            grace: .milliseconds(row["grace_milliseconds"] as Int64)
        )
    }
}

extension ChannelLimits {
    fileprivate init(row: Row) {
        self.init(
            connections: row["connections"],
            rooms: row["rooms"],
            newRoomRate: row["new_room_rate"],
            memberNewRoomRate: row["member_new_room_rate"],
            membersPerRoom: row["members_per_room"],
            messageBytes: row["message_bytes"],
            publishRate: row["publish_rate"],
            memberPublishRate: row["member_publish_rate"]
        )
    }
}

extension HistorySettings {
    fileprivate init?(count: Int?, milliseconds: Int64?) {
        guard let count, let milliseconds else { return nil }
        self.init(count: count, age: .milliseconds(milliseconds))
    }
}

extension Row {
    /// A value that is stored as its word.
    fileprivate func word<Word: RawRepresentable<String>>(_ column: String, key: String) throws -> Word {
        guard let word = Word(rawValue: self[column]) else {
            throw InvalidRow(table: "channel", key: key, column: column)
        }
        return word
    }
}

/// An element of the column `history_rules`.
private struct StoredHistoryRule: Codable {
    var pattern: String
    var count: Int?
    var ageMilliseconds: Int64?

    enum CodingKeys: String, CodingKey {
        case pattern
        case count
        case ageMilliseconds = "age_milliseconds"
    }

    init(_ rule: HistoryRule) {
        self.pattern = rule.pattern
        self.count = rule.history?.count
        self.ageMilliseconds = rule.history?.age.wholeMilliseconds
    }

    var rule: HistoryRule {
        HistoryRule(
            pattern: self.pattern,
            history: HistorySettings(count: self.count, milliseconds: self.ageMilliseconds)
        )
    }
}
