import Foundation
import GRDB
import RoomCore
import RoomModel

@testable import RoomStore

extension ChannelSettings {
    /// Nothing in it is as it is by default.
    static func unusual(_ id: String) throws -> ChannelSettings {
        ChannelSettings(
            id: try .make(id),
            name: "Q&A: \"questions\"; DROP TABLE channel; --",
            authentication: .required,
            tokenExpiry: .live,
            history: HistorySettings(count: 7, age: .milliseconds(90_001)),
            historyRules: [
                HistoryRule(pattern: #"^log-\d+"'/"#, history: HistorySettings(count: 3, age: .seconds(5))),
                HistoryRule(pattern: "x\0y", history: nil),
            ],
            historyOrder: .newestFirst,
            durability: .power,
            presence: .all,
            membersListed: 12,
            authDataStamps: .never,
            allowedOrigins: ["https://app.example", "http://[::1]:8080"],
            limits: ChannelLimits(
                connections: 1,
                rooms: 2,
                newRoomRate: 3,
                memberNewRoomRate: 4,
                membersPerRoom: 5,
                messageBytes: 6,
                publishRate: 7,
                memberPublishRate: 8
            ),
            grace: .milliseconds(1_500)
        )
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

extension AdminToken {
    static func make(_ name: String = "ci", hash byte: UInt8 = 7) -> AdminToken {
        AdminToken(
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
