import Foundation
import GRDB
import Logging
import RoomCore
import Testing

@testable import RoomModel
@testable import RoomStore

/// Bits that flip in the rows of the control file.
@Suite
struct RowSealTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()
    private let channel: ChannelID
    private var path: String { self.directory.file("control.sqlite") }

    init() throws {
        self.directory = try TemporaryDirectory()
        self.channel = try .make("a")
    }

    private func open() throws -> ControlStore {
        try ControlStore(.file(self.path), logger: self.log.logger, now: 1_763_697_600_000)
    }

    /// A channel with a secret, a ban, rules of a room and an admin token.
    private func filled() throws -> ControlStore {
        let store = try self.open()
        try store.create(.unlikely("a"), secret: ChannelSecret(text: "secret"), .make())
        try store.set(Sanction.make(.user("17"), in: nil, expires: 9_000), in: self.channel, .make())
        var rules = RoomRules()
        rules.slowMode = 10
        try store.set(rules, of: RoomKey(channel: self.channel, room: RoomName("lobby")), [.make()])
        try store.add(.make(), .make())
        return store
    }

    /// As a bit that flips does it: past the broker.
    private func damage(_ sql: String, in name: String = "control.sqlite") throws {
        let database = try DatabaseQueue(path: self.directory.file(name))
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    private struct Everything: Equatable {
        let channels: [StoredChannel]
        let moderation: [ChannelID: ChannelModeration]
        let tokens: [StoredAdminToken]
    }

    private func everything(_ store: ControlStore) throws -> Everything {
        Everything(
            channels: try store.channels(),
            moderation: try store.moderation(now: 0),
            tokens: try store.adminTokens()
        )
    }

    private static let flips = [
        ("UPDATE sanction SET expires = expires - 4096", #"sanction with channel "a", kind "ban""#),
        ("UPDATE sanction SET expires = NULL", "sanction"),
        ("UPDATE sanction SET subject = '16'", #"subject "16""#),
        ("UPDATE channel_secret SET text = 'recret'", #"channel_secret with channel "a", position "0""#),
        ("UPDATE channel_secret SET expires = 0", "channel_secret"),
        ("UPDATE admin_token SET scopes = 'manage'", #"admin_token with name "ci""#),
        ("UPDATE admin_token SET hash = zeroblob(32)", "admin_token"),
        ("UPDATE channel SET authentication = 'none'", #"channel with id "a""#),
        ("UPDATE channel SET message_bytes = message_bytes + 1", "channel"),
        ("UPDATE channel SET publish_rate = member_publish_rate, member_publish_rate = publish_rate", "channel"),
        ("UPDATE room_rules SET slow_mode_seconds = NULL, member_limit = 10", "room_rules"),
        ("UPDATE room_rules SET checksum = checksum + 1", "room_rules"),
        ("UPDATE channel SET checksum = NULL", "channel"),
    ]

    @Test(arguments: Self.flips) func `a row that is damaged is that of the backup again`(
        _ sql: String,
        _ place: String
    ) throws {
        let store = try self.filled()
        let before = try self.everything(store)
        try store.close()
        try self.damage(sql)
        let error = #expect(throws: StoredFileError.self) { try StoredFile.control(self.path) }
        #expect(error?.reason == .damaged && error?.text.contains(place) == true, "\(String(describing: error))")
        let again = try self.open()
        #expect(try self.everything(again) == before)
        let lines = self.log.lines(.critical)
        #expect(lines.map(\.text) == ["control file could not be used: its last backup was put in its place"])
        #expect(try self.directory.files().contains("control.sqlite.corrupt-2025-11-21T040000Z"))
        try again.close()
        #expect(throws: Never.self) { try StoredFile.control(self.path) }
    }

    @Test func `where the backup has the damage too, nothing is started and nothing is moved`() throws {
        try self.filled().close()
        for name in ["control.sqlite", "control.sqlite.backup"] { try self.damage(Self.flips[0].0, in: name) }
        let before = try self.directory.files()
        let error = #expect(throws: ChannelDirectoryError.self) { try self.open() }
        #expect(error?.text.contains("sanction") == true && error?.text.contains("--accept-lost-channels") == true)
        #expect(try self.directory.files() == before)
    }

    @Test func `damage that comes while the broker runs is not copied over the backup`() throws {
        let store = try self.filled()
        try self.damage(Self.flips[0].0)
        try store.set(Sanction.make(.user("18"), in: nil), in: self.channel, .make())
        #expect(self.log.lines(.critical).map(\.text) == ["the backup of the control file could not be made"])
        #expect(throws: Never.self) { try StoredFile.control(self.path + ".backup") }
    }

    @Test func `a row that is damaged is not sealed anew by a change of another column`() throws {
        let store = try self.filled()
        try self.damage("UPDATE channel SET authentication = 'none'")
        let settings = try #require(try store.channels().first).settings
        let error = #expect(throws: ChannelDirectoryError.self) { try store.update(settings, ifVersion: nil, .make()) }
        #expect(error?.text.contains("a row of the table channel is damaged") == true)
    }

    @Test func `every write seals its row`() throws {
        let store = try self.filled()
        try store.update(.unlikely("a"), ifVersion: nil, .make())
        let secrets = [ChannelSecret(text: "new"), ChannelSecret(text: "secret", expires: 9)]
        try store.setSecrets(secrets, of: self.channel, ifVersion: nil, .make())
        try store.set(Sanction.make(.user("17"), in: nil, expires: 10_000), in: self.channel, .make())
        try store.set(RoomRules(), of: RoomKey(channel: self.channel, room: RoomName("lobby")), [.make()])
        try store.ensure([ChannelSettings(id: self.channel), ChannelSettings(id: .make("b"))])
        #expect(try store.read { try RowSeal.damaged($0) }.isEmpty)
        #expect(self.log.lines(.critical).isEmpty)
        try store.close()
        #expect(throws: Never.self) { try StoredFile.control(self.path) }
    }

    @Test func `the rows of an earlier version are sealed by its migration, and checked from then on`() throws {
        try EarlierControlFile.write(self.path, channels: ["a", "b"])
        #expect(throws: Never.self) { try StoredFile.control(self.path) }
        let store = try self.open()
        let unsealed = try store.read { db in
            try RowSeal.tables.map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0) WHERE checksum IS NULL") ?? 0
            }
        }
        #expect(unsealed == [0, 0, 0, 0, 0])
        try store.close()
        try self.damage("UPDATE channel SET durability = 'process' WHERE id = 'b'")
        let error = #expect(throws: StoredFileError.self) { try StoredFile.control(self.path) }
        #expect(error?.text.contains(#"channel with id "b""#) == true)
    }
}
