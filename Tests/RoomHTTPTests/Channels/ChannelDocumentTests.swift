import NIOCore
import NIOHTTP1
import RoomCore
import RoomJSON
import RoomModel
import RoomTestKit
import Testing

@testable import RoomHTTP

@Suite struct ChannelDocumentTests {
    private static let plain = ChannelSettings(id: .make("talk")).with { $0.history = nil }
    private static let full = ChannelSettings.unusual("talk")

    private func changed(_ settings: ChannelSettings, _ patch: String) throws -> ChannelSettings {
        try ChannelDocument.changed(settings, by: JSONTree.read(ByteBuffer(string: patch)))
    }

    @Test(arguments: [plain, full])
    func `what is shown sets the same`(settings: ChannelSettings) throws {
        let shown = ChannelDocument.settings(settings)
        #expect(try ChannelDocument.changed(Self.plain, by: shown) == settings)
        #expect(try ChannelDocument.changed(Self.full, by: shown) == settings)
    }

    @Test func `a whole channel is shown without its secrets`() throws {
        let secrets = [
            ChannelSecret(text: "current"), ChannelSecret(text: "older", expires: 1_000),
            ChannelSecret(text: "gone", expires: 10),
        ]
        let tree = ChannelDocument.tree(
            StoredChannel(settings: Self.plain, secrets: secrets, version: 3),
            locked: ["history"],
            now: 10
        )
        guard case .object(let fields) = tree else {
            Issue.record("\(tree.text) is not an object")
            return
        }
        #expect(fields.map(\.name) == ["id"] + ChannelDocument.settable + ChannelDocument.readOnly)
        let text = """
            {"id":"talk","name":"","authentication":"none","token_expiry":"at_use","history":null,"history_rules":[],\
            "history_order":"oldest_first","durability":"process","presence":"ask","members_listed":null,\
            "auth_data_stamps":"observable","allowed_origins":[],"limits":{"connections":null,"rooms":null,\
            "new_room_rate":null,"member_new_room_rate":null,"members_per_room":null,"message_bytes":null,\
            "publish_rate":null,"member_publish_rate":null},"grace_seconds":10,"version":3,"locked":["history"],\
            "previous_secrets":[{"expires_at":"1970-01-01T00:16:40.000Z"}]}
            """
        // Settings that were added later are left out; `ChannelSchemaTests` looks at the name and the values of each.
        let known = try JSONTree.read(ByteBuffer(string: text))
        #expect(JSONTree.object(fields.filter { known[$0.name] != nil }).text == text)
    }

    @Test func `a null brings back the default, or turns the history off`() throws {
        let nulls = ChannelDocument.settable.map { "\"\($0)\":null" }.joined(separator: ",")
        #expect(try self.changed(Self.full, "{\(nulls)}") == Self.plain)
        let history = try self.changed(Self.full, #"{"history":{"count":null,"age_seconds":null}}"#).history
        #expect(history == HistorySettings())
        #expect(try self.changed(Self.full, #"{"limits":{"rooms":null}}"#).limits.rooms == nil)
        #expect(
            try self.changed(Self.full, #"{"limits":{"rooms":null}}"#).limits.connections
                == Self.full.limits.connections
        )
    }

    @Test func `what is not named is left`() throws {
        #expect(try self.changed(Self.full, "{}") == Self.full)
        let history = try self.changed(Self.full, #"{"history":{"count":9}}"#).history
        #expect(history == HistorySettings(count: 9, age: try #require(Self.full.history).age))
        #expect(try self.changed(Self.plain, #"{"history":{}}"#).history == HistorySettings(count: 1_000))
        #expect(
            try self.changed(Self.plain, #"{"grace_seconds":0.4,"limits":{"rooms":5e0}}"#).grace == .milliseconds(400)
        )
    }

    @Test(arguments: [
        (#"{"histori":null}"#, "unknown_field", "there is no field \"histori\"; did you mean history?"),
        (#"{"limits":{"room":null}}"#, "unknown_field", "there is no field limits.\"room\"; did you mean rooms?"),
        (#"{"history":{"age":1}}"#, "unknown_field", "there is no field history.\"age\"; there are count, age_seconds"),
        (#"{"version":1}"#, "invalid_field", "version is read-only: leave it out"),
        (#"[]"#, "invalid_field", "the body is []: give an object"),
        (#"{"limits":7}"#, "invalid_field", "limits is 7: give an object"),
        (
            #"{"limits":{"rooms":"many"}}"#, "invalid_field",
            "limits.rooms is \"many\": give a whole number from 1 to 1000000000"
        ),
        (#"{"limits":{"rooms":0}}"#, "invalid_field", "limits.rooms is 0: give a whole number from 1 to 1000000000"),
        (
            #"{"members_listed":1.5}"#, "invalid_field",
            "members_listed is 1.5: give a whole number from 1 to 1000000000"
        ),
        (
            #"{"authentication":"yes"}"#, "invalid_field",
            "authentication is \"yes\": give one of none, optional, required"
        ),
        (#"{"grace_seconds":-1}"#, "invalid_field", "grace_seconds is -1: give seconds from 0 to 315360000"),
        (#"{"grace_seconds":1e400}"#, "invalid_field", "grace_seconds is 1e400: give seconds from 0 to 315360000"),
        (
            #"{"history":{"count":1,"age_seconds":0}}"#, "invalid_field",
            "history.age_seconds is 0: give seconds from 1 to 315360000"
        ),
        (#"{"history_rules":[{}]}"#, "missing_field", "the field history_rules[0].pattern is missing"),
        (
            #"{"history_rules":[{"pattern":"("}]}"#, "invalid_field",
            "history_rules[0].pattern is \"(\": give a regular expression of 1 to 200 bytes that is not too costly to match"
        ),
        (#"{"history_rules":{}}"#, "invalid_field", "history_rules is {}: give an array of at most 32 elements"),
        (
            #"{"name":"a\u0000b"}"#, "invalid_field",
            #"name is "a\u0000b": give at most 200 bytes without control characters"#
        ),
    ])
    func `what is wrong is said in its own name`(patch: String, code: String, text: String) {
        do {
            _ = try self.changed(Self.plain, patch)
            Issue.record("it was taken")
        } catch let problem as Problem {
            #expect(problem.code.word == code)
            #expect(problem.detail == text)
            #expect(problem.status == .badRequest)
        } catch {
            Issue.record(error)
        }
    }

    private func refusal(of origins: String) -> String? {
        let problem = #expect(throws: Problem.self) {
            try self.changed(Self.plain, #"{"allowed_origins":[\#(origins)]}"#)
        }
        return problem?.detail
    }

    @Test(arguments: [
        ("https://app.example/", "https://app.example"), ("https://App.example", "https://app.example"),
        ("https://app.example/chat?x#y", "https://app.example"), ("https://app.example:", "https://app.example"),
        ("https://app.example:443", "https://app.example"), ("http://app.example:80", "http://app.example"),
        ("https://app.example:0443", "https://app.example"), ("https://app.example:08443", "https://app.example:8443"),
        ("wss://app.example", "https://app.example"), ("ws://localhost:8080", "http://localhost:8080"),
        ("wss://app.example:443/v3/websocket", "https://app.example"), ("ws://app.example:80", "http://app.example"),
        ("http://[0:0::1]:80", "http://[::1]"),
    ])
    func `a spelling that no browser sends is refused with the one that works`(origin: String, sent: String) throws {
        let text = "allowed_origins[0] is \"\(origin)\": give \(sent), which is what browsers send"
        #expect(self.refusal(of: "\"\(origin)\"") == text)
        #expect(try self.changed(Self.plain, #"{"allowed_origins":["\#(sent)"]}"#).allowedOrigins == [sent])
    }

    @Test(arguments: [
        "app.example", "https://", "https://a b", "https://a.example:99999", "https://u:p@a.example", "https://[::x]",
        "null", "*",
    ])
    func `what is no origin is refused`(origin: String) {
        let text = ": give an origin as browsers send it, such as https://app.example, or any"
        #expect(self.refusal(of: "\"\(origin)\"")?.hasSuffix(text) == true)
    }

    @Test(arguments: [
        "https://app.example:80", "http://app.example:443", "capacitor://localhost", "http://[::1]:8080",
        "chrome-extension://abcdefghijklmnop",
    ])
    func `an origin is taken as browsers send it`(origin: String) throws {
        #expect(try self.changed(Self.plain, #"{"allowed_origins":["\#(origin)"]}"#).allowedOrigins == [origin])
    }

    @Test func `an origin is listed once`() {
        #expect(self.refusal(of: #""http://a","http://a""#)?.hasSuffix(": give each origin once") == true)
    }

    @Test func `what an earlier version has taken keeps no other change out`() throws {
        let settings = Self.plain.with { $0.allowedOrigins = ["https://app.example:443"] }
        #expect(try self.changed(settings, #"{"name":"Q"}"#) == settings.with { $0.name = "Q" })
    }

    @Test func `a new channel needs an id that is free to have`() throws {
        func created(_ text: String) throws -> ChannelSettings {
            try ChannelDocument.created(JSONTree.read(ByteBuffer(string: text)))
        }
        #expect(try created(#"{"id":"talk"}"#) == ChannelSettings(id: .make("talk")))
        #expect(try created(#"{"id":"talk","history":null,"name":null}"#) == Self.plain)
        for text in ["{}", #"{"id":null}"#, #"{"id":"a b"}"#, #"{"id":5}"#, #"{"id":"talk","secret":"x"}"#] {
            #expect(throws: Problem.self) { try created(text) }
        }
        do {
            _ = try created(#"{"id":"health"}"#)
        } catch let problem as Problem {
            #expect(problem.detail.contains("admin, assets, chat, console, health, metrics, v3 are reserved"))
        }
    }
}
