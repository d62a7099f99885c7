import Foundation
import GRDB
import Logging
import RoomCore
import Testing

@testable import RoomModel
@testable import RoomStore

/// Bans, mutes and room rules in the control file.
@Suite
struct ControlModerationTests {
    private let directory: TemporaryDirectory
    private let log = LogCollector()
    private let channel: ChannelID
    private let lobby = RoomName("lobby")

    init() throws {
        self.directory = try TemporaryDirectory()
        self.channel = try .make("a")
    }

    private func open() throws -> ControlStore {
        let file = StoreLocation.file(self.directory.file("control.sqlite"))
        let store = try ControlStore(file, logger: self.log.logger, now: 5)
        try store.ensure([ChannelSettings(id: self.channel), ChannelSettings(id: try .make("b"))])
        return store
    }

    private static let subjects: [SanctionSubject] =
        [
            .user("17"), .user("'; DROP TABLE sanction; --"), .user("ü\n\u{202e}"), .client(ClientID("17")),
        ] + ["192.0.2.7", "2001:db8::/32"].compactMap { AddressRange($0).map(SanctionSubject.address) }

    private var rules: RoomRules {
        var rules = RoomRules()
        rules.isLocked = true
        rules.lockReason = "a talk"
        rules.slowMode = 10
        rules.memberLimit = 3
        return rules
    }

    @Test(arguments: Self.subjects)
    func `a sanction is read back as it was set, and replaced by one of its key`(_ subject: SanctionSubject) throws {
        let store = try self.open()
        var first = Sanction.make(subject, in: self.lobby)
        try store.set(first, in: self.channel, .make("sanction.impose", target: "first"))
        let other = Sanction.make(subject, in: nil, .mute, expires: 2_000)
        try store.set(other, in: self.channel, .make("sanction.impose"))
        first.reason = nil
        first.expires = 3_000
        try store.set(first, in: self.channel, .make("sanction.impose"))
        let expected = [self.channel: ChannelModeration(sanctions: [first, other])]
        #expect(try store.moderation(now: 1_000) == expected)
        try store.close()
        #expect(try self.open().moderation(now: 1_000) == expected)
    }

    @Test
    func `what has ended is not read, and forgotten when told`() throws {
        let store = try self.open()
        let short = Sanction.make(.user("1"), in: nil, expires: 1_000)
        let long = Sanction.make(.user("2"), in: nil, expires: 1_001)
        let endless = Sanction.make(.user("3"), in: nil)
        for sanction in [short, long, endless] { try store.set(sanction, in: self.channel, .make()) }
        let holding = [self.channel: ChannelModeration(sanctions: [long, endless])]
        #expect(try store.moderation(now: 1_000) == holding)
        let audit = try store.allAudit()
        try store.forgetEnded(by: 1_000)
        #expect(try store.moderation(now: 0) == holding)
        #expect(try store.allAudit() == audit)
    }

    @Test
    func `a sanction is lifted once`() throws {
        let store = try self.open()
        let sanction = Sanction.make(.user("1"), in: self.lobby)
        try store.set(sanction, in: self.channel, .make("sanction.impose"))
        let count = try store.allAudit().count
        for key in [
            Sanction.Key(.mute, of: .user("1"), in: self.lobby), Sanction.Key(.ban, of: .user("1"), in: nil),
            Sanction.Key(.ban, of: .client(ClientID("1")), in: self.lobby),
        ] {
            let error = #expect(throws: ChannelDirectoryError.self) {
                try store.lift(key, in: self.channel, .make("sanction.lift"))
            }
            #expect(error?.reason == .notFound)
        }
        #expect(try store.allAudit().count == count)
        try store.lift(sanction.key, in: self.channel, .make("sanction.lift"))
        #expect(throws: ChannelDirectoryError.self) { try store.lift(sanction.key, in: self.channel, .make()) }
        #expect(try store.moderation(now: 0).isEmpty)
        #expect(try store.allAudit().first?.entry == .make("sanction.lift"))
        #expect(try store.allAudit().count == count + 1)
    }

    @Test
    func `rules are replaced, with an entry for each change, and empty ones are none`() throws {
        let store = try self.open()
        let room = RoomKey(channel: self.channel, room: self.lobby)
        let count = try store.allAudit().count
        try store.set(self.rules, of: room, [.make("room.lock"), .make("room.slow_mode")])
        #expect(try store.moderation(now: 0) == [self.channel: ChannelModeration(rules: [self.lobby: self.rules])])
        #expect(try store.allAudit().prefix(2).map(\.entry.action) == ["room.slow_mode", "room.lock"])
        try store.set(RoomRules(), of: room, [.make("room.unlock")])
        #expect(try store.moderation(now: 0).isEmpty)
        #expect(try store.allAudit().count == count + 3)
    }

    @Test
    func `nothing is set in a channel that there is not, and nothing noted`() throws {
        let store = try self.open()
        let none = try ChannelID.make("none")
        let count = try store.allAudit().count
        let ofSanction = #expect(throws: ChannelDirectoryError.self) {
            try store.set(Sanction.make(.user("1"), in: nil), in: none, .make())
        }
        #expect(ofSanction?.reason == .notFound)
        let ofRules = #expect(throws: ChannelDirectoryError.self) {
            try store.set(self.rules, of: RoomKey(channel: none, room: self.lobby), [.make()])
        }
        #expect(ofRules?.reason == .notFound)
        #expect(try store.allAudit().count == count)
    }

    @Test
    func `what was set goes with its channel and does not come back with it`() throws {
        let store = try self.open()
        let other = try ChannelID.make("b")
        for channel in [self.channel, other] {
            try store.set(Sanction.make(.user("1"), in: nil), in: channel, .make())
            try store.set(self.rules, of: RoomKey(channel: channel, room: self.lobby), [.make()])
        }
        try store.delete(self.channel, ifVersion: nil, .make("channel.delete"))
        #expect(try Set(store.moderation(now: 0).keys) == [other])
        try store.create(ChannelSettings(id: self.channel), secret: ChannelSecret(text: "secret"), .make())
        #expect(try Set(store.moderation(now: 0).keys) == [other])
    }

    @Test
    func `a change of the channel's settings leaves what was set`() throws {
        let store = try self.open()
        try store.set(Sanction.make(.user("1"), in: nil), in: self.channel, .make())
        try store.update(ChannelSettings(id: self.channel, name: "another"), ifVersion: nil, .make())
        #expect(try store.moderation(now: 0).count == 1)
    }

    @Test
    func `the backup has what was set`() throws {
        let store = try self.open()
        try store.set(Sanction.make(.user("1"), in: nil), in: self.channel, .make("sanction.impose"))
        try store.set(self.rules, of: RoomKey(channel: self.channel, room: self.lobby), [.make("room.lock")])
        let moderation = try store.moderation(now: 0)
        try store.close()
        try self.directory.damage("control.sqlite", at: 0)
        #expect(try self.open().moderation(now: 0) == moderation)
        #expect(self.log.lines(.critical).count == 1)
    }

    @Test
    func `an entry that is withdrawn is gone, and its number is not given again`() throws {
        let store = try self.open()
        let first = try store.note(.make("member.kick"))
        let second = try store.note(.make("room.clear"))
        try store.withdraw(second)
        #expect(try store.allAudit().first?.id == first)
        #expect(try store.note(.make("member.kick")) > second)
    }

    @Test
    func `what makes no sense in the file is not guessed at`() throws {
        let store = try self.open()
        try store.set(Sanction.make(.user("10.0.0.1/8"), in: nil), in: self.channel, .make())
        try store.write { try $0.execute(sql: "UPDATE sanction SET subject_kind = 'address'") }
        let error = #expect(throws: ChannelDirectoryError.self) { try store.moderation(now: 0) }
        #expect(error?.reason == .unavailable)
        #expect(error?.text.contains("'subject' of 'a' in the table sanction") == true)
    }

    @Test
    func `the file keeps to its bounds by itself`() throws {
        let store = try self.open()
        let long = String(repeating: "x", count: 201)
        #expect(throws: ChannelDirectoryError.self) {
            try store.set(Sanction.make(.user(long), in: nil), in: self.channel, .make())
        }
        var reasoned = Sanction.make(.user("1"), in: nil)
        reasoned.reason = String(repeating: "ü", count: 251)
        #expect(throws: ChannelDirectoryError.self) { try store.set(reasoned, in: self.channel, .make()) }
        #expect(try store.moderation(now: 0).isEmpty)
    }

    @Test
    func `a file of the release before is taken over`() throws {
        let path = self.directory.file("control.sqlite")
        try EarlierControlFile.write(path, channels: ["a", "b"])
        let store = try self.open()
        try store.set(Sanction.make(.user("1"), in: nil), in: self.channel, .make())
        #expect(try store.moderation(now: 0)[self.channel]?.sanctions.count == 1)
    }
}

extension Sanction {
    static func make(
        _ subject: SanctionSubject,
        in room: RoomName?,
        _ kind: Kind = .ban,
        expires: Int64? = nil
    ) -> Sanction {
        Sanction(
            key: Key(kind, of: subject, in: room),
            reason: "no \"reason\"; --",
            author: "uid:0",
            created: 10,
            expires: expires
        )
    }
}
