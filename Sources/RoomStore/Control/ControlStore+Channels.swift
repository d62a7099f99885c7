import GRDB
package import RoomCore
package import RoomModel

extension ControlStore: ControlChangeMaker {
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

    /// Makes it in one synced transaction, then the backup.
    package func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome {
        try self.change { try change.make(in: $0) }
    }
}
