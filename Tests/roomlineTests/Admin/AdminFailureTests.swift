import Foundation
import NIOCore
import Testing

@testable import roomline

@Suite struct AdminFailureTests {
    @Test(
        arguments: [
            (ENOENT, "\"roomline serve\" starts one"), (ECONNREFUSED, "does not run any more"), (EACCES, "sudo"),
            (ENOTSOCK, "is no socket"), (EPIPE, "does not answer"),
        ] as [(Int32, String)]
    )
    func `a socket that cannot be used says what to do`(code: Int32, part: String) {
        let failure = CommandFailure(asking: .socket("/d/admin.sock"), IOError(errnoCode: code, reason: "connect"))
        #expect(failure.code == .unavailable)
        #expect(failure.text.contains("/d/admin.sock") && failure.text.contains(part))
    }

    @Test func `a refusal has a hint, and the nearest name before any`() {
        let problem = AdminProblem(status: 404, code: "unknown_channel", detail: "there is no channel \"shp\"")
        #expect(CommandFailure(problem, nearest: "shop").text == "there is no channel \"shp\"; did you mean shop?")
        #expect(CommandFailure(problem).text.hasSuffix("; \"roomline channel list\" lists the channels"))
        let hint = CommandFailure(AdminProblem(status: 404, code: "unknown_room", detail: "no"), channel: "a").text
        #expect(hint.contains("\"roomline room list --channel a\""))
        let other = AdminProblem(status: 409, code: "setting_locked", detail: "no")
        #expect(CommandFailure(other).text == "no" && CommandFailure(other).code == .refused)
    }
}
