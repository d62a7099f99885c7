import GRDB
package import RoomCore
package import RoomModel

extension ControlStore: ModerationDirectory {
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

    package func set(
        _ sanction: Sanction,
        in channel: ChannelID,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) {
        try self.change(audit) { db, _ in
            _ = try StoredChannel.fetch(db, channel, ifVersion: nil)
            try StoredSanction(channel: channel, sanction: sanction).upsert(db)
        }
    }

    package func lift(
        _ key: Sanction.Key,
        in channel: ChannelID,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) {
        try self.change(audit) { db, _ in
            try StoredSanction.delete(db, key, of: channel)
            guard db.changesCount > 0 else {
                throw ChannelDirectoryError(.notFound, text: "there is no such \(key.kind) in the channel '\(channel)'")
            }
        }
    }

    package func set(
        _ rules: RoomRules,
        of room: RoomKey,
        _ audit: [AuditEntry]
    ) throws(ChannelDirectoryError) {
        try self.change { db in
            _ = try StoredChannel.fetch(db, room.channel, ifVersion: nil)
            for entry in audit { try entry.insert(db) }
            try StoredRoomRules(room: room, rules: rules).replace(db)
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
