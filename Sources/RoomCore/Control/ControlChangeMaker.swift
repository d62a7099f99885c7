package import RoomModel

/// A maker of changes of the directories: each call that changes something is one `ControlChange`.
package protocol ControlChangeMaker: ChannelDirectory, ModerationDirectory, AdminDirectory {
    func make(_ change: ControlChange) throws(ChannelDirectoryError) -> ControlChange.Outcome
}

// MARK: Channels

extension ControlChangeMaker {
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
}

extension ControlChange.Outcome {
    /// The outcome of a change of a channel's settings or secrets.
    package func channel() throws(ChannelDirectoryError) -> StoredChannel {
        guard case .channel(let channel) = self else {
            throw ChannelDirectoryError(.unavailable, text: "the control file has not said what became of the channel")
        }
        return channel
    }
}

// MARK: Moderation

extension ControlChangeMaker {
    package func set(_ sanction: Sanction, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.impose(sanction, in: channel, audit))
    }

    package func lift(_ key: Sanction.Key, in channel: ChannelID, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.lift(key, in: channel, audit))
    }

    package func set(_ rules: RoomRules, of room: RoomKey, _ audit: [AuditEntry]) throws(ChannelDirectoryError) {
        _ = try self.make(.rules(rules, of: room, audit))
    }
}

// MARK: Administration

extension ControlChangeMaker {
    package func add(_ token: StoredAdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.addToken(token, audit))
    }

    package func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        _ = try self.make(.removeToken(name: name, audit))
    }
}
