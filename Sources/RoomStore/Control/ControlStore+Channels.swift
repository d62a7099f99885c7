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

    /// The change that `ensure` would make; `nil`: none.
    ///
    /// - Parameter secret: the first one, if the channel is made.
    package func change(
        toEnsure settings: ChannelSettings,
        secret: String
    ) throws(ChannelDirectoryError) -> ControlChange? {
        try self.read { db in
            let stored = try StoredChannel.fetch(db, settings.id)
            guard let change = try SettingsChange(of: stored?.settings, to: settings) else { return nil }
            let audit = change.audit(time: self.startTime)
            guard let stored else { return .create(settings, ChannelSecret(text: secret), audit) }
            return .update(settings, ifVersion: stored.version, audit)
        }
    }

    @discardableResult
    package func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.create(settings, secret, audit)).channel()
    }

    @discardableResult
    package func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.update(settings, ifVersion: ifVersion, audit)).channel()
    }

    @discardableResult
    package func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.make(.setSecrets(secrets, of: id, ifVersion: ifVersion, audit)).channel()
    }

    package func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.delete(id, ifVersion: ifVersion, audit))
    }

    /// Makes it in one synced transaction, then the backup.
    func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome {
        try self.change { try change.make(in: $0) }
    }
}

extension ControlChange.Outcome {
    /// That of a change of a channel's settings or secrets.
    package func channel() throws(ChannelDirectoryError) -> StoredChannel {
        guard case .channel(let channel) = self else {
            throw ChannelDirectoryError(.unavailable, text: "the control file has not said what became of the channel")
        }
        return channel
    }
}
