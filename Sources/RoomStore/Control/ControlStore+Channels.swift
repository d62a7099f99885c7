import GRDB
package import RoomCore
package import RoomModel

extension ControlStore: ChannelDirectory {
    package func channels() throws(ChannelDirectoryError) -> [StoredChannel] {
        try self.read { try StoredChannel.fetchAll($0) }
    }

    package func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        // Nothing is written where nothing changes: the disk may be read-only.
        let changes = try self.read { db in
            try channels.contains { settings in
                try SettingsChange(of: StoredChannel.fetch(db, settings.id)?.settings, to: settings) != nil
            }
        }
        guard changes else { return }
        let hasChanged = try self.write { db in
            var hasChanged = false
            for settings in channels {
                let stored = try StoredChannel.fetch(db, settings.id)
                guard let change = try SettingsChange(of: stored?.settings, to: settings) else { continue }
                let entry = try change.audit(time: self.startTime).insert(db)
                let version = stored.map { $0.version + 1 } ?? entry
                try StoredChannel(settings: settings, secrets: [], version: version).upsert(db)
                if stored == nil { try ChannelSecret.storeFirst(db, of: settings.id.text) }
                hasChanged = true
            }
            return hasChanged
        }
        if hasChanged { try self.backUp() }
    }

    @discardableResult
    package func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.change(audit) { db, entry in
            guard try StoredChannel.fetch(db, settings.id) == nil else {
                throw ChannelDirectoryError(
                    .exists,
                    text: "the channel '\(settings.id)' already exists: change it, or choose another id"
                )
            }
            let channel = StoredChannel(settings: settings, secrets: [secret], version: entry)
            try channel.upsert(db)
            try ChannelSecret.store(db, channel.secrets, of: settings.id.text)
            return try StoredChannel.fetch(db, settings.id, ifVersion: nil)
        }
    }

    @discardableResult
    package func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.change(audit) { db, _ in
            var channel = try StoredChannel.fetch(db, settings.id, ifVersion: ifVersion)
            channel.settings = settings
            channel.version += 1
            try channel.upsert(db)
            return try StoredChannel.fetch(db, settings.id, ifVersion: nil)
        }
    }

    @discardableResult
    package func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        guard secrets.count(where: { $0.expires == nil }) == 1 else {
            throw ChannelDirectoryError(
                .unavailable,
                text: "channel '\(id)' needs exactly one secret without an expiry, the current one; none was changed"
            )
        }
        return try self.change(audit) { db, _ in
            var channel = try StoredChannel.fetch(db, id, ifVersion: ifVersion)
            channel.version += 1
            try channel.upsert(db)
            try ChannelSecret.store(db, secrets, of: id.text)
            return try StoredChannel.fetch(db, id, ifVersion: nil)
        }
    }

    package func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.change(audit) { db, _ in
            _ = try StoredChannel.fetch(db, id, ifVersion: ifVersion)
            // Its secrets go with it.
            try db.execute(sql: "DELETE FROM channel WHERE id = ?", arguments: [id.text])
        }
    }
}
