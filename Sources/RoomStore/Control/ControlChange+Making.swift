import GRDB
import RoomCore
import RoomModel

extension ControlChange {
    /// Makes the change with its audit entries.
    ///
    /// - Throws: `ChannelDirectoryError` where something in the file speaks against it, whoever makes it; else an error of SQLite's.
    func make(in db: Database) throws -> Outcome {
        switch self {
        case .create(let settings, let secret, let audit):
            let entry = try audit.insert(db)
            guard try StoredChannel.fetch(db, settings.id) == nil else {
                throw ChannelDirectoryError(
                    .exists,
                    text: "the channel '\(settings.id)' already exists: change it, or choose another id"
                )
            }
            let channel = StoredChannel(settings: settings, secrets: [secret], version: entry)
            try channel.upsert(db)
            try ChannelSecret.store(db, channel.secrets, of: settings.id.text)
            return .channel(try StoredChannel.fetch(db, settings.id, ifVersion: nil))
        case .update(let settings, let version, let audit):
            _ = try audit.insert(db)
            var channel = try StoredChannel.fetch(db, settings.id, ifVersion: version)
            channel.settings = settings
            channel.version += 1
            try channel.upsert(db)
            return .channel(try StoredChannel.fetch(db, settings.id, ifVersion: nil))
        case .setSecrets(let secrets, let id, let version, let audit):
            _ = try audit.insert(db)
            guard secrets.count(where: { $0.expires == nil }) == 1 else {
                throw ChannelDirectoryError(
                    .unavailable,
                    text: """
                        channel '\(id)' needs exactly one secret without an expiry, the current one; none was changed
                        """
                )
            }
            var channel = try StoredChannel.fetch(db, id, ifVersion: version)
            channel.version += 1
            try channel.upsert(db)
            try ChannelSecret.store(db, secrets, of: id.text)
            return .channel(try StoredChannel.fetch(db, id, ifVersion: nil))
        case .delete(let id, let version, let audit):
            _ = try audit.insert(db)
            _ = try StoredChannel.fetch(db, id, ifVersion: version)
            // Its secrets go with it.
            try db.execute(sql: "DELETE FROM channel WHERE id = ?", arguments: [id.text])
            return .done
        case .impose, .lift, .rules: return try self.moderate(in: db)
        case .note(let audit): return .entry(try audit.insert(db))
        case .withdraw(let entry):
            try db.execute(sql: "DELETE FROM audit WHERE id = ?", arguments: [entry])
            return .done
        case .addToken(let token, let audit):
            _ = try audit.insert(db)
            guard try !StoredAdminToken.exists(db, name: token.name) else {
                throw ChannelDirectoryError(
                    .exists,
                    text: "the admin token '\(token.name)' already exists: remove it, or choose another name"
                )
            }
            try token.insert(db)
            return .done
        case .removeToken(let name, let audit):
            _ = try audit.insert(db)
            guard try StoredAdminToken.exists(db, name: name) else {
                throw ChannelDirectoryError(.notFound, text: "there is no admin token '\(name)'")
            }
            try StoredAdminToken.delete(db, name: name)
            return .done
        case .none: return .done
        }
    }

    private func moderate(in db: Database) throws -> Outcome {
        switch self {
        case .impose(let sanction, let id, let audit):
            _ = try audit.insert(db)
            _ = try StoredChannel.fetch(db, id, ifVersion: nil)
            try StoredSanction(channel: id, sanction: sanction).upsert(db)
        case .lift(let key, let id, let audit):
            _ = try audit.insert(db)
            try StoredSanction.delete(db, key, of: id)
            guard db.changesCount > 0 else {
                throw ChannelDirectoryError(.notFound, text: "there is no such \(key.kind) in the channel '\(id)'")
            }
        case .rules(let rules, let room, let audit):
            _ = try StoredChannel.fetch(db, room.channel, ifVersion: nil)
            for entry in audit { try entry.insert(db) }
            try StoredRoomRules(room: room, rules: rules).replace(db)
        default: break
        }
        return .done
    }
}
