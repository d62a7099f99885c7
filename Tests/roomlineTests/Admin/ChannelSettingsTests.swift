import ArgumentParser
import RoomJSON
import Testing

@testable import roomline

@Suite struct ChannelSettingsTests {
    private func json(_ arguments: String...) throws -> String {
        JSONTree.object(try ChannelSettingOptions.parse(arguments).fields).text
    }

    @Test func `only what is named is in the change`() throws {
        #expect(try self.json() == "{}")
        #expect(
            try self.json("--auth", "required", "--name", "a\"b") == #"{"name":"a\"b","authentication":"required"}"#
        )
    }

    @Test func `a history is on, off, or only its age`() throws {
        #expect(try self.json("--history", "off") == #"{"history":null}"#)
        #expect(
            try self.json("--history", "5", "--history-age", "1h") == #"{"history":{"count":5,"age_seconds":3600}}"#
        )
        #expect(try self.json("--history-age", "7d") == #"{"history":{"age_seconds":604800}}"#)
        #expect(throws: (any Error).self) { try self.json("--history", "off", "--history-age", "7d") }
    }

    @Test func `rules, origins and limits may be repeated, and taken away`() throws {
        #expect(
            try self.json("--history-rule", "^a=b=5", "--history-rule", "c=off")
                == #"{"history_rules":[{"pattern":"^a=b","history":{"count":5}},{"pattern":"c","history":null}]}"#
        )
        #expect(try self.json("--history-rule", "", "--origin", "") == #"{"history_rules":[],"allowed_origins":[]}"#)
        #expect(
            try self.json("--limit", "rooms=3", "--limit", "connections=none", "--members-listed", "none")
                == #"{"members_listed":null,"limits":{"rooms":3,"connections":null}}"#
        )
    }

    @Test func `a duration may be less than a second`() throws {
        #expect(try self.json("--grace", "400ms") == #"{"grace_seconds":0.4}"#)
        #expect(try self.json("--grace", "1m") == #"{"grace_seconds":60}"#)
    }

    @Test(arguments: [
        ["--history", "0"], ["--limit", "rooms"], ["--limit", "=1"], ["--history-rule", "=1"], ["--grace", "5"],
    ])
    func `what is none of it is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try ChannelSettingOptions.parse(arguments) }
    }
}
