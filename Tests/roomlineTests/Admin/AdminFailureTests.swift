import Foundation
import NIOCore
import RoomAdmin
import Testing

@testable import roomline

@Suite struct AdminFailureTests {
    @Test(
        arguments: [
            (ENOENT, "\"roomline serve\" starts one"), (ECONNREFUSED, "does not run any more"), (EACCES, "sudo"),
            (ENOTSOCK, "is not a socket"), (EPIPE, "does not answer"),
        ] as [(Int32, String)]
    )
    func `a socket that cannot be used says what to do`(code: Int32, part: String) {
        let failure = CommandFailure(asking: .socket("/d/admin.sock"), IOError(errnoCode: code, reason: "connect"))
        #expect(failure.code == .unavailable)
        #expect(failure.text.contains("/d/admin.sock") && failure.text.contains(part))
    }

    @Test func `an address without TLS may be that of a port with it`() throws {
        let plain = try AdminAddress(url: "http://127.0.0.1:10001")
        let tls = try AdminAddress(url: "https://a.example")
        let hint = ", or the port speaks TLS: use https://127.0.0.1:10001"
        #expect(CommandFailure(asking: plain, ChannelError.eof).text.hasSuffix(hint))
        let refused = IOError(errnoCode: ECONNREFUSED, reason: "connect")
        #expect(!CommandFailure(asking: plain, refused).text.contains("TLS"))
        #expect(!CommandFailure(asking: tls, ChannelError.eof).text.contains("TLS"))
    }

    @Test func `the place of a package's broker is named where it is there`() {
        let place = "--data /var/lib/roomline"
        #expect(CommandFailure.otherPlace(than: "/h/admin.sock") { $0 == "/var/lib/roomline" }.hasPrefix(place))
        #expect(!CommandFailure.otherPlace(than: "/h/admin.sock") { _ in false }.contains(place))
        #expect(!CommandFailure.otherPlace(than: "/var/lib/roomline/admin.sock") { _ in true }.contains(place))
    }

    @Test func `a refusal has a hint, and the nearest name before any`() {
        let refusal = AdminError(.unknownChannel, "there is no channel \"shp\"", status: 404)
        let nearest = CommandFailure(refusal: refusal, nearest: "shop").text
        #expect(nearest == "there is no channel \"shp\"; did you mean shop?")
        #expect(CommandFailure(refusal: refusal).text.hasSuffix("; \"roomline channel list\" lists the channels"))
        let hint = CommandFailure(refusal: AdminError(.unknownRoom, "no", status: 404), channel: "a").text
        #expect(hint.contains("\"roomline room list --channel a\""))
        let other = CommandFailure(refusal: AdminError(.settingLocked, "no", status: 409))
        #expect(other.text == "no" && other.code == .refused)
    }
}
