import GRDB
package import RoomCore
package import RoomModel

extension ControlStore {
    package var isShared: Bool { false }

    package func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration] {
        try self.read { db in
            let sanctions = Dictionary(grouping: try StoredSanction.fetchAll(db, endingAfter: now), by: \.channel)
            let rules = Dictionary(grouping: try StoredRoomRules.fetchAll(db), by: \.room.channel)
            let channels = Set(sanctions.keys).union(rules.keys)
            return Dictionary(
                uniqueKeysWithValues: channels.map { channel in
                    let ofRooms = (rules[channel] ?? []).map { ($0.room.room, $0.rules) }
                    let moderation = ChannelModeration(
                        sanctions: (sanctions[channel] ?? []).map(\.sanction),
                        rules: Dictionary(ofRooms, uniquingKeysWith: { _, last in last })
                    )
                    return (channel, moderation)
                }
            )
        }
    }

    /// Without a backup: what has ended does not hold there either.
    package func forgetEnded(by time: Int64) throws(ChannelDirectoryError) {
        guard !self.isReadOnly else { return }
        try self.write { try StoredSanction.deleteEnded($0, by: time) }
    }

    /// Without a backup: the next change's has the entry.
    package func note(_ audit: AuditEntry) throws(ChannelDirectoryError) -> Int64 {
        try self.write { try audit.insert($0) }
    }

    package func withdraw(_ entry: Int64) throws(ChannelDirectoryError) {
        try self.write { try $0.execute(sql: "DELETE FROM audit WHERE id = ?", arguments: [entry]) }
    }
}
