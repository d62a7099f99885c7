import Foundation
import GRDB
import Logging
import RoomCore
import Testing

@testable import RoomModel
@testable import RoomStore

/// Admin tokens, the audit log, and what becomes of the file over releases and restores.
@Suite
struct ControlAdminTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func open() throws -> ControlStore {
        try ControlStore(.file(self.directory.file("control.sqlite")), logger: self.log.logger, now: 5)
    }

    @Test
    func `tokens are read back by name until they are removed`() throws {
        let store = try self.open()
        var other = StoredAdminToken.make("a", hash: 8)
        other.expires = nil
        other.scopes = []
        try store.add(.make("ci"), .make("token.create", target: "ci"))
        try store.add(other, .make("token.create", target: "a"))
        #expect(try store.adminTokens() == [other, .make("ci")])
        try store.removeAdminToken(name: "ci", .make("token.remove", target: "ci"))
        #expect(try store.adminTokens() == [other])
        #expect(try store.allAudit().map(\.entry.action) == ["token.remove", "token.create", "token.create"])
    }

    @Test
    func `a name is taken once and removed once`() throws {
        let store = try self.open()
        try store.add(.make("ci"), .make())
        let taken = #expect(throws: ChannelDirectoryError.self) { try store.add(.make("ci", hash: 9), .make()) }
        #expect(taken?.reason == .exists)
        let unknown = #expect(throws: ChannelDirectoryError.self) { try store.removeAdminToken(name: "x", .make()) }
        #expect(unknown?.reason == .notFound)
        #expect(try store.allAudit().count == 1)
    }

    @Test(arguments: ["' OR 1=1; --", "\"", "%", "a\nb", "\u{202e}", ""])
    func `a strange name is only a name`(_ name: String) throws {
        let store = try self.open()
        try store.add(.make("ci", hash: 1), .make())
        try store.add(.make(name, hash: 2), .make(target: name))
        #expect(Set(try store.adminTokens().map(\.name)) == ["ci", name])
        #expect(try store.audit(before: nil, limit: 10, matching: AuditFilter(target: name)).count == 1)
        try store.removeAdminToken(name: name, .make())
        #expect(try store.adminTokens().map(\.name) == ["ci"])
    }

    @Test
    func `a NUL does not end a name early`() throws {
        let store = try self.open()
        try store.add(.make("ci", hash: 1), .make())
        try store.add(.make("ci\0", hash: 2), .make(details: #"{"a":"b"}"# + "\0hidden"))
        #expect(try store.adminTokens().map(\.name) == ["ci", "ci\u{fffd}"])
        #expect(try store.allAudit()[0].entry.details.hasSuffix("hidden"))
        try store.removeAdminToken(name: "ci\0", .make())
        #expect(try store.adminTokens().map(\.name) == ["ci"])
    }

    @Test
    func `the audit log is paged from the newest and filtered`() throws {
        let store = try self.open()
        for index in 1...10 {
            let actor = index.isMultiple(of: 2) ? "token:ci" : "uid:0"
            try store.append(.make(index > 8 ? "room.clear" : "member.remove", actor: actor, target: "t\(index % 3)"))
        }
        #expect(try store.audit(before: nil, limit: 3, matching: AuditFilter()).map(\.id) == [10, 9, 8])
        #expect(try store.audit(before: 8, limit: 3, matching: AuditFilter()).map(\.id) == [7, 6, 5])
        #expect(try store.audit(before: 1, limit: 3, matching: AuditFilter()).isEmpty)
        #expect(try store.audit(before: nil, limit: 0, matching: AuditFilter()).isEmpty)
        #expect(
            try store.audit(before: nil, limit: 9, matching: AuditFilter(actor: "uid:0")).map(\.id) == [9, 7, 5, 3, 1]
        )
        let some = AuditFilter(actions: ["room.clear", "room"])
        #expect(try store.audit(before: nil, limit: 9, matching: some).map(\.id) == [10, 9])
        let both = AuditFilter(actor: "uid:0", action: "room.clear", target: "t0")
        #expect(try store.audit(before: nil, limit: 9, matching: both).map(\.id) == [9])
        #expect(
            try store.audit(before: nil, limit: 1, matching: both).map(\.entry) == [.make("room.clear", target: "t0")]
        )
    }

    @Test
    func `the newest entries are kept, and no id comes twice`() throws {
        let store = try self.open()
        try store.append(.make())
        // As many as are kept, and then ids that were used up by entries which were withdrawn.
        try store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < 100000)
                    INSERT INTO audit SELECT n, 0, 'uid:0', 'unix', 'room.clear', 'talk/r', '{}' FROM number
                    """
            )
            try db.execute(sql: "UPDATE sqlite_sequence SET seq = 299998 WHERE name = 'audit'")
        }
        try store.withdraw(try store.note(.make()))
        try store.append(.make())
        let kept = try store.read { db in
            try Row.fetchOne(db, sql: "SELECT min(id) AS first, max(id) AS last, count(*) AS count FROM audit")
        }
        #expect(kept.map { [$0["first"], $0["last"], $0["count"]] as [Int] } == [2, 300_000, 100_000])
        try store.write { try $0.execute(sql: "DELETE FROM audit") }
        try store.append(.make())
        #expect(try store.allAudit().map(\.id) == [300_001])
    }

    @Test
    func `entries of members push no administrator's entry out`() throws {
        let store = try self.open()
        try store.append(.make("channel.create", target: "talk"))
        try store.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM number WHERE n < 150099)
                    INSERT INTO audit SELECT n, 0, 'member:ann', 'unix', 'room.lock', 'talk/r', '{}' FROM number
                    """
            )
        }
        try store.append(.make("room.lock", actor: "member:ann", target: "talk/r"))
        let counts = try store.read { db in
            try Row.fetchAll(db, sql: "SELECT count(*) AS count FROM audit GROUP BY actor ORDER BY actor")
        }
        #expect(counts.map { $0["count"] as Int } == [50_000, 1])
        #expect(try store.audit(before: nil, limit: 9, matching: AuditFilter(actor: "uid:0")).map(\.id) == [1])
    }

    @Test
    func `a full log of administrators loses nothing to members`() throws {
        let store = try self.open()
        try store.write { db in
            for (actor, first, last) in [("uid:0", 1, 100_000), ("member:ann", 100_001, 100_199)] {
                try db.execute(
                    sql: """
                        WITH RECURSIVE number (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM number WHERE n < ?)
                        INSERT INTO audit SELECT n, 0, ?, 'unix', 'room.lock', 'talk/r', '{}' FROM number
                        """,
                    arguments: [first, last, actor]
                )
            }
        }
        try store.append(.make("room.lock", actor: "member:ann", target: "talk/r"))
        let counts = try store.read { db in
            try Row.fetchAll(db, sql: "SELECT count(*) AS count FROM audit GROUP BY actor ORDER BY actor")
        }
        #expect(counts.map { $0["count"] as Int } == [200, 100_000])
    }

    @Test
    func `very long details are told by their length`() throws {
        let store = try self.open()
        let long = #"{"text":"\#(String(repeating: "x", count: 10_000_000))"}"#
        try store.append(.make(details: long))
        #expect(try store.allAudit()[0].entry.details == #"{"omitted_bytes":10000011}"#)
        #expect(try self.directory.size("control.sqlite") < 100_000)
    }

    @Test
    func `a file of the release before is taken over with a secret for each channel`() throws {
        let names = ["a", "b"]
        try EarlierControlFile.write(self.directory.file("control.sqlite"), channels: names)
        let store = try self.open()
        let channels = try store.channels()
        let settings = try names.map { name in
            ChannelSettings(
                id: try .make(name),
                history: HistorySettings(count: 7, age: .seconds(90)),
                durability: .power,
                presence: .prefix,
                grace: .milliseconds(1_500)
            )
        }
        #expect(channels.map(\.settings) == settings)
        #expect(channels.map(\.version) == [1, 1])
        #expect(channels.allSatisfy { $0.secrets.count == 1 && $0.secrets[0].text.utf8.count == 43 })
        #expect(channels[0].secrets != channels[1].secrets)
        try store.close()
        #expect(try self.open().channels() == channels)
        for name in try self.directory.files() {
            #expect(try self.directory.permissions(name) == 0o600)
        }
    }

    @Test
    func `a backup of the release before is restored and taken over`() throws {
        try EarlierControlFile.write(self.directory.file("control.sqlite.backup"), channels: ["a"])
        let channels = try self.open().channels()
        #expect(channels.map(\.settings.id.text) == ["a"])
        #expect(channels[0].secrets.count == 1)
        #expect(self.log.lines(.critical).count == 1)
        #expect(try self.directory.permissions("control.sqlite.backup") == 0o600)
    }

    @Test
    func `a NUL does not end a channel's name early`() throws {
        let settings = ChannelSettings(id: try .make("a"), name: "one\0two")
        let store = try self.open()
        try store.ensure([settings])
        try store.ensure([settings])
        #expect(try store.channels().map(\.settings.name) == ["one\u{fffd}two"])
        #expect(try store.allAudit().count == 1)
    }

    @Test
    func `the backup brings back secrets, tokens and the audit log`() throws {
        let store = try self.open()
        try store.create(.unlikely("a"), secret: ChannelSecret(text: "secret"), .make("channel.create"))
        try store.add(.make("ci"), .make("token.create"))
        let channels = try store.channels()
        let audit = try store.allAudit()
        try store.close()
        try self.directory.damage("control.sqlite", at: 0)
        let restored = try self.open()
        #expect(self.log.lines(.critical).count == 1)
        #expect(try restored.channels() == channels)
        #expect(try restored.adminTokens() == [.make("ci")])
        #expect(try restored.allAudit() == audit)
        #expect(!"\(self.log.lines(.critical))".contains(channels[0].secrets[0].text))
    }

    @Test(arguments: [
        ("UPDATE channel SET authentication = 'maybe'", "authentication"),
        ("UPDATE channel SET allowed_origins = '[1]'", "allowed_origins"),
        ("UPDATE channel SET history_rules = 'x'", "history_rules"),
    ])
    func `what makes no sense in the file is not guessed at`(_ sql: String, _ column: String) throws {
        let store = try self.open()
        try store.create(.unlikely("a"), secret: ChannelSecret(text: "secret"), .make("channel.create"))
        try store.write { try $0.execute(sql: sql) }
        let error = #expect(throws: ChannelDirectoryError.self) { try store.channels() }
        #expect(error?.reason == .unavailable)
        #expect(error?.text.contains("'\(column)' of 'a'") == true)
    }

    @Test
    func `a random secret is 43 digits of base64url`() {
        var generator = CountingGenerator()
        let secret = ChannelSecret.random(using: &generator)
        #expect(secret.text == "AAAAAAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAM")
        #expect(secret.expires == nil)
    }

    private struct CountingGenerator: RandomNumberGenerator {
        var count: UInt64 = 0

        mutating func next() -> UInt64 {
            defer { self.count += 1 }
            return self.count
        }
    }
}
