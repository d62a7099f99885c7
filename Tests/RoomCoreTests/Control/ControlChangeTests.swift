import NIOCore
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Changes of the control file as JSON: what is read is what was written, and later releases read it too.
struct ControlChangeTests {
    private static let audit = AuditEntry(
        time: 1_700_000_000_123,
        actor: "token:ops",
        origin: "10.0.0.1",
        action: "channel.create",
        target: "talk \"é\"",
        details: #"{"a":1}"#
    )

    private static let plain = ChannelSettings.make("plain", history: nil).with { $0.presence = .prefix }

    private static let settings: ChannelSettings = {
        var settings = ChannelSettings(id: .make("talk"))
        settings.name = "Talk"
        settings.authentication = .required
        settings.tokenExpiry = .live
        settings.history = HistorySettings(count: 10, age: .milliseconds(1_500))
        settings.historyRules = [
            HistoryRule(pattern: "^a", history: nil),
            HistoryRule(pattern: "b$", history: HistorySettings(count: 5, age: .seconds(60))),
        ]
        settings.historyOrder = .newestFirst
        settings.durability = .power
        settings.presence = .all
        settings.membersListed = 7
        settings.authDataStamps = .always
        settings.allowedOrigins = ["https://app.example"]
        settings.limits.connections = 1
        settings.limits.memberPublishRate = 9
        settings.grace = .zero
        return settings
    }()

    private static let person = SanctionSubject.user("ann \u{0}")
    private static let range = AddressRange("2001:db8::/32")

    private static var changes: [ControlChange] {
        get throws {
            let range = try #require(self.range)
            var rules = RoomRules()
            rules.isLocked = true
            rules.lockReason = "a talk"
            rules.slowMode = 3
            rules.memberLimit = 4
            let room = RoomKey(channel: .make("talk"), room: RoomName("r/1"))
            let ban = Sanction(
                key: Sanction.Key(.ban, of: self.person, in: RoomName("r")),
                reason: "spam",
                author: "uid:0",
                created: 5,
                expires: 6
            )
            let token = StoredAdminToken(
                name: "ci",
                hash: [0, 255],
                scopes: [.read, .manage],
                created: 7,
                expires: nil
            )
            return [
                .create(self.settings, ChannelSecret(text: "s3cret"), self.audit),
                .create(self.plain, ChannelSecret(text: "s"), self.audit),
                .update(self.settings, ifVersion: 4, self.audit),
                .update(self.settings, ifVersion: nil, self.audit),
                .setSecrets(
                    [ChannelSecret(text: "new"), ChannelSecret(text: "old", expires: 8)],
                    of: .make("talk"),
                    ifVersion: nil,
                    self.audit
                ),
                .delete(.make("talk"), ifVersion: 9, self.audit),
                .impose(ban, in: .make("talk"), self.audit),
                .lift(Sanction.Key(.mute, of: .client(ClientID("c7")), in: nil), in: .make("talk"), self.audit),
                .lift(Sanction.Key(.ban, of: .address(range), in: nil), in: .make("talk"), self.audit),
                .rules(rules, of: room, [self.audit, self.audit]),
                .rules(RoomRules(), of: room, []),
                .note(self.audit),
                .withdraw(12),
                .addToken(token, self.audit),
                .removeToken(name: "ci", self.audit),
                .none,
            ]
        }
    }

    @Test func `what is read is what was written`() throws {
        for change in try Self.changes {
            let read = try JSONTree.read(change.json.bytes)
            #expect(ControlChange(read) == change)
        }
    }

    @Test func `the JSON stays as it is`() throws {
        let lines = try Self.changes.map { String(buffer: $0.json.bytes) }
        try GoldenFile.expect(lines, "control-changes")
        for (line, change) in zip(try GoldenFile.lines("control-changes"), try Self.changes) {
            #expect(ControlChange(try JSONTree.read(ByteBuffer(string: line))) == change)
        }
    }

    @Test(
        arguments: [
            #"{}"#, #"{"change":"channel.paint"}"#, #"{"change":"withdraw"}"#, #"{"change":"withdraw","entry":"1"}"#,
            #"{"change":"channel.delete","channel":"talk"}"#, #"{"change":"note","audit":{"time":1}}"#,
        ]
    )
    func `what is no change is none`(text: String) throws {
        #expect(ControlChange(try JSONTree.read(ByteBuffer(string: text))) == nil)
    }

    /// A node of an earlier version may not leave out what it does not know: its file would be another one.
    @Test(
        arguments: [
            (#""id":"plain""#, #""id":"plain","shape":"round""#),
            (#""authentication":"none""#, #""authentication":"perhaps""#),
        ]
    )
    func `a setting that is not known makes the change unreadable`(known: String, unknown: String) throws {
        let text = String(buffer: try Self.changes[1].json.bytes)
        #expect(ControlChange(try JSONTree.read(ByteBuffer(string: text))) != nil)
        let newer = text.replacing(known, with: unknown)
        #expect(newer != text)
        #expect(ControlChange(try JSONTree.read(ByteBuffer(string: newer))) == nil)
    }
}
