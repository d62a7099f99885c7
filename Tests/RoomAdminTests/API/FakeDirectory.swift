import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// The control file in memory.
final class FakeDirectory: ChannelDirectory, AdminDirectory {
    struct State {
        var channels: [ChannelID: StoredChannel] = [:]
        var tokens: [String: AdminToken] = [:]
        var audit: [StoredAuditEntry] = []
        var isBroken = false
    }

    let state = NIOLockedValueBox(State())

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
        state.audit.append(StoredAuditEntry(id: Int64(state.audit.count + 1), entry: entry))
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

    func channels() throws(ChannelDirectoryError) -> [StoredChannel] {
        try self.call { state throws(ChannelDirectoryError) in
            state.channels.values.sorted { $0.settings.id.text < $1.settings.id.text }
        }
    }

    func ensure(_ channels: [ChannelSettings]) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            for settings in channels {
                let secret = ChannelSecret(text: "first")
                state.channels[settings.id] = StoredChannel(settings: settings, secrets: [secret], version: 1)
            }
        }
    }

    func create(
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

    func update(
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

    func setSecrets(
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

    func delete(_ id: ChannelID, ifVersion: Int64?, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            _ = try Self.existing(id, ifVersion, state)
            state.channels[id] = nil
            Self.note(audit, &state)
        }
    }

    func adminTokens() throws(ChannelDirectoryError) -> [AdminToken] {
        try self.call { state throws(ChannelDirectoryError) in state.tokens.values.sorted { $0.name < $1.name } }
    }

    func add(_ token: AdminToken, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.tokens.updateValue(token, forKey: token.name) == nil else {
                throw ChannelDirectoryError(.exists, text: "there is a token \(token.name)")
            }
            Self.note(audit, &state)
        }
    }

    func removeAdminToken(name: String, _ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in
            guard state.tokens.removeValue(forKey: name) != nil else {
                throw ChannelDirectoryError(.notFound, text: "there is no token \(name)")
            }
            Self.note(audit, &state)
        }
    }

    func append(_ audit: AuditEntry) throws(ChannelDirectoryError) {
        try self.call { state throws(ChannelDirectoryError) in Self.note(audit, &state) }
    }

    func audit(
        before: Int64?,
        limit: Int,
        matching filter: AuditFilter
    ) throws(ChannelDirectoryError) -> [StoredAuditEntry] {
        try self.call { state throws(ChannelDirectoryError) in
            Array(
                state.audit.reversed().filter { stored in
                    stored.id < before ?? .max && filter.actor.map { $0 == stored.entry.actor } ?? true
                        && filter.action.map { $0 == stored.entry.action } ?? true
                }.prefix(limit)
            )
        }
    }
}
