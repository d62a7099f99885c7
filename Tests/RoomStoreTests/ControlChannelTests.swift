import Foundation
import GRDB
import Logging
import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Channels as they are made, changed, rotated and removed while the broker runs.
@Suite
struct ControlChannelTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()
    private let store: ControlStore
    private let secret = ChannelSecret(text: "first-secret")

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try ControlStore(.file(self.directory.file("control.sqlite")), logger: self.log.logger, now: 5)
    }

    private func reopened() throws -> ControlStore {
        try self.store.close()
        return try ControlStore(.file(self.directory.file("control.sqlite")), logger: self.log.logger, now: 6)
    }

    @Test
    func `a channel that is created is read back with all it is told`() throws {
        let settings = ChannelSettings.unlikely("a")
        let created = try self.store.create(settings, secret: self.secret, .make("channel.create"))
        #expect(created == StoredChannel(settings: settings, secrets: [self.secret], version: 1))
        #expect(try self.reopened().channels() == [created])
    }

    @Test
    func `an existing channel is not created again`() throws {
        let settings = ChannelSettings.unlikely("a")
        let created = try self.store.create(settings, secret: self.secret, .make("channel.create"))
        let error = try #require(throws: ChannelDirectoryError.self) {
            try self.store.create(ChannelSettings(id: settings.id), secret: .init(text: "other"), .make())
        }
        #expect(error.reason == .exists)
        #expect(error.text.contains("'a'"))
        #expect(try self.store.channels() == [created])
        #expect(try self.store.allAudit().count == 1)
    }

    @Test
    func `an update replaces the settings, keeps the secrets and raises the version`() throws {
        let old = try self.store.create(.unlikely("a"), secret: self.secret, .make("channel.create"))
        let settings = ChannelSettings(id: try .make("a"))
        let updated = try self.store.update(settings, ifVersion: old.version, .make())
        #expect(updated == StoredChannel(settings: settings, secrets: [self.secret], version: old.version + 1))
        #expect(try self.reopened().channels() == [updated])
    }

    @Test
    func `a change of what another has changed is refused with both versions`() throws {
        let settings = ChannelSettings.unlikely("a")
        try self.store.create(settings, secret: self.secret, .make("channel.create"))
        try self.store.update(settings, ifVersion: nil, .make())
        let changes: [() throws -> Void] = [
            { try self.store.update(settings, ifVersion: 1, .make()) },
            { try self.store.setSecrets([self.secret], of: settings.id, ifVersion: 1, .make()) },
            { try self.store.delete(settings.id, ifVersion: 1, .make()) },
        ]
        for change in changes {
            let error = try #require(throws: ChannelDirectoryError.self) { try change() }
            #expect(error.reason == .versionDiffers)
            #expect(error.text.contains("version 2, not 1"))
        }
        #expect(try self.store.channels().map(\.version) == [2])
        #expect(try self.store.allAudit().count == 2)
    }

    @Test
    func `a channel that does not exist cannot be changed`() throws {
        let settings = ChannelSettings.unlikely("a")
        let changes: [() throws -> Void] = [
            { try self.store.update(settings, ifVersion: nil, .make()) },
            { try self.store.setSecrets([self.secret], of: settings.id, ifVersion: nil, .make()) },
            { try self.store.delete(settings.id, ifVersion: 1, .make()) },
        ]
        for change in changes {
            #expect(try #require(throws: ChannelDirectoryError.self) { try change() }.reason == .notFound)
        }
        #expect(try self.store.allAudit().isEmpty)
    }

    @Test
    func `secrets are rotated, the current one first`() throws {
        let id = try ChannelID.make("a")
        try self.store.create(ChannelSettings(id: id), secret: self.secret, .make("channel.create"))
        let old = ChannelSecret(text: self.secret.text, expires: 1_763_697_600)
        let new = ChannelSecret(text: "second-secret")
        let rotated = try self.store.setSecrets([old, new], of: id, ifVersion: 1, .make("channel.rotate"))
        #expect(rotated.secrets == [new, old])
        #expect(rotated.version == 2)
        #expect(try self.reopened().channels() == [rotated])
    }

    @Test(arguments: [
        [], [ChannelSecret(text: "a", expires: 1)], [ChannelSecret(text: "a"), ChannelSecret(text: "b")],
    ])
    func `a channel always has one current secret`(_ secrets: [ChannelSecret]) throws {
        let id = try ChannelID.make("a")
        let created = try self.store.create(ChannelSettings(id: id), secret: self.secret, .make("channel.create"))
        #expect(throws: ChannelDirectoryError.self) {
            try self.store.setSecrets(secrets, of: id, ifVersion: nil, .make())
        }
        #expect(try self.store.channels() == [created])
    }

    @Test
    func `a replaced secret is nowhere in the files`() throws {
        let id = try ChannelID.make("a")
        let secret = ChannelSecret(text: "SecretThatLeaked")
        try self.store.create(ChannelSettings(id: id), secret: secret, .make("channel.create"))
        let files = ["control.sqlite", "control.sqlite.backup"]
        func holding() throws -> [String] {
            try files.filter { name in
                let bytes = try Data(contentsOf: URL(filePath: self.directory.file(name)))
                return bytes.range(of: Data(secret.text.utf8)) != nil
            }
        }
        #expect(try holding() == files)
        try self.store.setSecrets([ChannelSecret(text: "Other")], of: id, ifVersion: nil, .make())
        #expect(try holding() == [])
    }

    @Test
    func `a deleted channel is gone, and its next life has higher versions`() throws {
        let id = try ChannelID.make("a")
        try self.store.create(ChannelSettings(id: id), secret: self.secret, .make("channel.create"))
        let last = try self.store.update(ChannelSettings(id: id), ifVersion: nil, .make())
        try self.store.delete(id, ifVersion: last.version, .make("channel.delete"))
        #expect(try self.store.channels() == [])
        let other = ChannelSecret(text: "second-secret")
        let again = try self.store.create(ChannelSettings(id: id), secret: other, .make("channel.create"))
        #expect(again.version > last.version)
        #expect(again.secrets == [other])
    }

    @Test
    func `ensuring gives a new channel a secret and notes only what differs`() throws {
        var settings = ChannelSettings(id: try .make("a"))
        settings.history = nil
        try self.store.ensure([settings, ChannelSettings(id: try .make("b"))])
        let made = try self.store.channels()
        #expect(made.map(\.secrets.count) == [1, 1])
        #expect(made.allSatisfy { $0.secrets[0].text.utf8.count == 43 && $0.secrets[0].expires == nil })
        #expect(made[0].secrets != made[1].secrets)

        settings.history = HistorySettings(count: 3, age: .seconds(60))
        try self.store.ensure([settings, ChannelSettings(id: try .make("b"))])
        try self.store.ensure([settings])
        let changed = try self.store.channels()
        #expect(changed.map(\.version) == [made[0].version + 1, made[1].version])
        #expect(changed.map(\.secrets) == made.map(\.secrets))
        let audit = try self.store.allAudit().map(\.entry)
        #expect(audit.map(\.action) == ["channel.update", "channel.create", "channel.create"])
        #expect(audit.map(\.target) == ["a", "b", "a"])
        #expect(audit.allSatisfy { $0.actor == "start" && $0.time == 5 })
        #expect(
            audit[0].details
                == #"{"changes":{"history_age_milliseconds":{"from":null,"to":60000},"history_count":{"from":null,"to":3}}}"#
        )
    }

    @Test
    func `a change that cannot be stored is refused without its secret`() throws {
        try self.store.close()
        let error = try #require(throws: ChannelDirectoryError.self) {
            try self.store.create(.unlikely("a"), secret: self.secret, .make())
        }
        #expect(error.reason == .unavailable)
        #expect(error.text.contains(self.directory.file("control.sqlite")))
        #expect(!error.text.contains(self.secret.text))
    }

    @Test
    func `a statement that fails does not tell what was bound to it`() throws {
        let id = try ChannelID.make("a")
        try self.store.create(ChannelSettings(id: id), secret: self.secret, .make("channel.create"))
        let error = try #require(throws: ChannelDirectoryError.self) {
            try self.store.write { db in
                let sql = "INSERT INTO channel_secret (channel, position, text) VALUES ('a', 0, ?)"
                try db.execute(sql: sql, arguments: [self.secret.text])
            }
        }
        #expect(error.text.contains("UNIQUE constraint failed"))
        #expect(!error.text.contains(self.secret.text))
        #expect(!"\(try self.store.channels())".contains(self.secret.text))
    }

    @Test
    func `a change stands although its backup could not be made`() throws {
        try FileManager.default.removeItem(atPath: self.directory.file("control.sqlite.backup"))
        try FileManager.default.createDirectory(
            atPath: self.directory.file("control.sqlite.backup/in/the/way"),
            withIntermediateDirectories: true
        )
        try self.store.create(.unlikely("a"), secret: self.secret, .make("channel.create"))
        #expect(try self.store.channels().count == 1)
        let lines = self.log.lines(.critical)
        #expect(lines.count == 1)
        #expect(!"\(lines)".contains(self.secret.text))
    }

    @Test
    func `changes from several threads each have their backup`() async throws {
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    _ = try? self.store.create(.unlikely("c\(index)"), secret: self.secret, .make("channel.create"))
                }
            }
        }
        #expect(try self.store.channels().count == 8)
        #expect(self.log.lines(.critical).isEmpty)
        try self.store.close()
        try FileManager.default.removeItem(atPath: self.directory.file("control.sqlite"))
        let restored = try ControlStore(
            .file(self.directory.file("control.sqlite")),
            logger: self.log.logger,
            now: 6
        )
        #expect(try restored.channels().count == 8)
    }

    @Test
    func `ids that could end a text early are none`() {
        for text in ["a\0b", "a'b", "a\"b", "a;b", "a b", "é", "", "../a"] {
            #expect(ChannelID(text) == nil)
        }
    }
}
