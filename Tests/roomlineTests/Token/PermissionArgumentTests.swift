import RoomModel
import RoomWire
import Testing

@testable import roomline

@Suite struct PermissionArgumentTests {
    private func draft(_ allowed: [String], denied: [String] = []) throws -> TokenDraft {
        TokenDraft(
            channel: try #require(ChannelID("shop")),
            issued: 1,
            expires: 2,
            allowed: allowed.compactMap { PermissionArgument(argument: $0) },
            denied: denied.compactMap { PermissionArgument(argument: $0) }
        )
    }

    @Test func `a pattern may have an equals sign`() {
        let permission = PermissionArgument(argument: "^a=b=publish,history:7")
        #expect(permission?.pattern == "^a=b" && permission?.words == ["publish"] && permission?.history == 7)
    }

    @Test(arguments: [
        "", "=publish", "lobby", "lobby=", "lobby=write", "lobby=publish,publish", "(=publish", "a=history:",
        "a=history:x", "a=history,history:1",
    ])
    func `anything else is none`(text: String) {
        #expect(PermissionArgument(argument: text) == nil)
    }

    @Test func `one pattern is one entry`() throws {
        let payload = try self.draft(["a=publish", "b=subscribe", "a=history"], denied: ["a=moderate"]).payload()
        #expect(
            payload == #"{"channel":"shop","iat":1,"exp":2,"permissions":{"a":{"publish":true,"history":100,"#
                + #""moderate":false},"b":{"subscribe":true}}}"#
        )
    }

    @Test func `nothing is both allowed and denied`() throws {
        let draft = try self.draft(["a=publish"], denied: ["a=publish"])
        #expect(throws: CommandFailure.self) { try draft.payload() }
    }
}
