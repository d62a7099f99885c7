import ArgumentParser
import RoomJSON
import RoomModel
import Testing

@testable import roomline

@Suite struct PermissionArgumentTests {
    private func draft(_ allowed: [String], denied: [String] = []) throws -> TokenDraft {
        TokenDraft(
            channel: try #require(ChannelID("shop")),
            issued: 1,
            expires: 2,
            allowed: try allowed.map { try PermissionArgument($0) },
            denied: try denied.map { try PermissionArgument($0) }
        )
    }

    @Test func `a pattern may have an equals sign`() throws {
        let permission = try PermissionArgument("^a=b=publish,history:7")
        #expect(permission.pattern == "^a=b" && permission.words == ["publish"] && permission.history == 7)
    }

    @Test(arguments: [
        "", "=publish", "lobby", "lobby=", "lobby=write", "lobby=publish,publish", "(=publish", "a=history:",
        "a=history:x", "a=history,history:1",
    ])
    func `anything else is none`(text: String) {
        #expect(throws: ValidationError.self) { try PermissionArgument(text) }
    }

    @Test(arguments: [
        ([".*=publsh"], "\"publsh\" permits nothing; there are publish, subscribe"),
        (["(=publish"], "( is not a regular expression"), (["a=publish,publish"], "publish is given twice"),
    ])
    func `what is wrong is said`(allowed: [String], part: String) {
        do {
            _ = try TokenMake.parse(allowed.flatMap { ["--allow", $0] })
            Issue.record("it was taken")
        } catch {
            #expect(TokenMake.message(for: error).contains(part))
        }
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
