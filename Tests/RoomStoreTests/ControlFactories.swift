import Foundation
import GRDB
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomStore

extension ChannelSettings {
    /// Nothing in it is as it is by default, and a text has a NUL.
    static func unlikely(_ id: String) -> ChannelSettings {
        .unusual(id).with { $0.historyRules.append(HistoryRule(pattern: "x\0y", history: nil)) }
    }
}

extension AuditEntry {
    static func make(
        _ action: String = "channel.update",
        actor: String = "uid:0",
        target: String = "a",
        details: String = "{}"
    ) -> AuditEntry {
        AuditEntry(
            time: 1_763_697_600_123,
            actor: actor,
            origin: "unix",
            action: action,
            target: target,
            details: details
        )
    }
}

extension StoredAdminToken {
    static func make(_ name: String = "ci", hash byte: UInt8 = 7) -> StoredAdminToken {
        StoredAdminToken(
            name: name,
            hash: [UInt8](repeating: byte, count: 32),
            scopes: [.read, .manage],
            created: 1_763_697_600_000,
            expires: 1_763_697_700_000
        )
    }
}

extension ControlStore {
    func allAudit() throws -> [StoredAuditEntry] {
        try self.audit(before: nil, limit: 1_000, matching: AuditFilter())
    }
}

/// A control file as the release before this one left it.
enum EarlierControlFile {
    static func write(_ path: String, channels: [String]) throws {
        let database = try DatabaseQueue(path: path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-control") { try $0.execute(sql: ControlSchema.control0001) }
        try migrator.migrate(database)
        try database.write { db in
            for channel in channels {
                try db.execute(
                    sql: "INSERT INTO channel VALUES (?, 7, 90000, 'power', 1500)",
                    arguments: [channel]
                )
            }
        }
        try database.close()
    }
}
