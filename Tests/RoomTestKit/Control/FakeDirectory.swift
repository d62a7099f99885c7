package import NIOConcurrencyHelpers
package import RoomCore
package import RoomModel

/// The control file in memory.
package final class FakeDirectory: ChannelDirectory, AdminDirectory, ModerationDirectory {
    package struct State {
        package var channels: [ChannelID: StoredChannel] = [:]
        package var tokens: [String: StoredAdminToken] = [:]
        package var moderation: [ChannelID: ChannelModeration] = [:]
        package var audit: [StoredAuditEntry] = []
        package var auditCount: Int64 = 0
        package var isBroken = false
    }

    package let state = NIOLockedValueBox(State())
    package let isShared: Bool

    package init(isShared: Bool = false) {
        self.isShared = isShared
    }

    private func call<Value>(
        _ body: (inout State) throws(ChannelDirectoryError) -> Value
    ) throws(ChannelDirectoryError) -> Value {
        let result = self.state.withLockedValue { state -> Result<Value, ChannelDirectoryError> in
            do throws(ChannelDirectoryError) {
                if state.isBroken { throw ChannelDirectoryError(.unavailable, text: "the disk is gone") }
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func note(_ entry: AuditEntry, _ state: inout State) {
        state.auditCount += 1
        state.audit.append(StoredAuditEntry(id: state.auditCount, entry: entry))
    }

    private static func existing(
        _ id: ChannelID,
        _ version: Int64?,
        _ state: State
    ) throws(ChannelDirectoryError) -> StoredChannel {
        guard let channel = state.channels[id] else { throw ChannelDirectoryError(.notFound, text: "no \(id)") }
        guard version == nil || version == channel.version else {
            throw ChannelDirectoryError(.versionDiffers, text: "\(id) is another")
        }
        return channel
    }

    package func channels() throws(ChannelDirectoryError) -> [StoredChannel] {
        try self.call { state throws(ChannelDirectoryError) in
            state.channels.values.sorted { $0.settings.id.text < $1.settings.id.text }
        }
    }

    package func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            for settings in channels {
                let secret = ChannelSecret(text: "first")
                state.channels[settings.id] = StoredChannel(settings: settings, secrets: [secret], version: 1)
            }
        }
    }

    package func create(
        _ settings: ChannelSettings,
        secret: ChannelSecret,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.channels[settings.id] == nil else { throw ChannelDirectoryError(.exists, text: "there is") }
            let channel = StoredChannel(settings: settings, secrets: [secret], version: 1)
            state.channels[settings.id] = channel
            Self.note(audit, &state)
            return channel
        }
    }

    package func update(
        _ settings: ChannelSettings,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.call { state throws(ChannelDirectoryError) in
            var channel = try Self.existing(settings.id, ifVersion, state)
            channel.settings = settings
            channel.version += 1
            state.channels[settings.id] = channel
            Self.note(audit, &state)
            return channel
        }
    }

    package func setSecrets(
        _ secrets: [ChannelSecret],
        of id: ChannelID,
        ifVersion: Int64?,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) -> StoredChannel {
        try self.call { state throws(ChannelDirectoryError) in
            var channel = try Self.existing(id, ifVersion, state)
            channel.secrets = secrets
            channel.version += 1
            state.channels[id] = channel
            Self.note(audit, &state)
            return channel
        }
    }

    package func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            _ = try Self.existing(id, ifVersion, state)
            state.channels[id] = nil
            state.moderation[id] = nil
            Self.note(audit, &state)
        }
    }

    package func adminTokens() throws(ChannelDirectoryError) -> [StoredAdminToken] {
        try self.call { state throws(ChannelDirectoryError) in state.tokens.values.sorted { $0.name < $1.name } }
    }

    package func add(_ token: StoredAdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.tokens.updateValue(token, forKey: token.name) == nil else {
                throw ChannelDirectoryError(.exists, text: "there is a token \(token.name)")
            }
            Self.note(audit, &state)
        }
    }

    package func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.tokens.removeValue(forKey: name) != nil else {
                throw ChannelDirectoryError(.notFound, text: "there is no token \(name)")
            }
            Self.note(audit, &state)
        }
    }

    package func append(_ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in Self.note(audit, &state) }
    }

    package func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry] {
        try self.call { state throws(ChannelDirectoryError) in
            Array(
                state.audit.reversed().filter { stored in
                    stored.id < before ?? .max && filter.actor.map { $0 == stored.entry.actor } ?? true
                        && filter.action.map { $0 == stored.entry.action } ?? true
                        && filter.actions.map { $0.contains(stored.entry.action) } ?? true
                }.prefix(limit)
            )
        }
    }

    package func moderation(now: Int64) throws(ChannelDirectoryError) -> [ChannelID: ChannelModeration] {
        try self.call { state throws(ChannelDirectoryError) in state.moderation }
    }

    package func set(
        _ sanction: Sanction,
        in channel: ChannelID,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            _ = try Self.existing(channel, nil, state)
            state.moderation[channel, default: ChannelModeration()].sanctions.set(sanction)
            Self.note(audit, &state)
        }
    }

    package func lift(
        _ key: Sanction.Key,
        in channel: ChannelID,
        _ audit: AuditEntry
    ) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.moderation[channel]?.sanctions[key] != nil else {
                throw ChannelDirectoryError(.notFound, text: "no such \(key.kind)")
            }
            state.moderation[channel]?.sanctions.remove(key)
            Self.note(audit, &state)
        }
    }

    package func set(
        _ rules: RoomRules,
        of room: RoomKey,
        _ audit: [AuditEntry]
    ) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            _ = try Self.existing(room.channel, nil, state)
            state.moderation[room.channel, default: ChannelModeration()].set(rules, of: room.room)
            for entry in audit { Self.note(entry, &state) }
        }
    }

    package func forgetEnded(by time: Int64) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            for (channel, moderation) in state.moderation {
                for sanction in moderation.sanctions.all where !sanction.holds(at: time) {
                    state.moderation[channel]?.sanctions.remove(sanction.key)
                }
            }
        }
    }

    package func note(_ audit: AuditEntry) throws(ChannelDirectoryError) -> Int64 {
        try self.call { state throws(ChannelDirectoryError) in
            Self.note(audit, &state)
            return state.auditCount
        }
    }

    package func withdraw(_ entry: Int64) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in state.audit.removeAll { $0.id == entry } }
    }
}
