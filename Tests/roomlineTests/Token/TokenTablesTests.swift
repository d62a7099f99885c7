import Foundation
import RoomModel
import RoomTokens
import Testing

@testable import RoomCore
@testable import roomline

@Suite struct TokenTablesTests {
    private static let secret = ChannelSecret(text: String(repeating: "s", count: 43))

    @Test func `a token is shown claim by claim`() throws {
        let token = TokenSigner(secret: Self.secret.text).sign(
            payload: #"{"channel":"shop","client":"luke","iat":1795273927,"exp":1795277527,"data":{"user":7},"#
                + #""permissions":{".*":{"publish":true,"history":5},"^staff":{"publish":false},"odd":1,"x":{}}}"#
        )
        let now = Date(timeIntervalSince1970: 1_795_277_587)
        try Golden.expect(
            TokenTables.sheet(try TokenText(token), now: now, in: Golden.utc).lines(.plain),
            "token-inspect"
        )
    }

    @Test(arguments: [
        (#","data":{"sub":"luke"}"#, "luke"), (#","data":7"#, "7"), ("", "none: there is no data"),
        (#","data":[1]"#, "none: data names nobody"),
    ])
    func `who bans and mutes go by is told`(data: String, user: String) throws {
        let token = TokenSigner(secret: Self.secret.text).sign(payload: "{\"channel\":\"shop\"\(data)}")
        let lines = TokenTables.sheet(try TokenText(token), now: Date(), in: Golden.utc).lines(.plain)
        #expect(lines.contains("user         \(user)"), "\(lines)")
    }

    @Test func `its end is read as the broker reads it`() throws {
        func line(_ exp: String) throws -> String? {
            let token = TokenSigner(secret: Self.secret.text).sign(payload: #"{"channel":"shop","exp":\#(exp)}"#)
            let now = Date(timeIntervalSince1970: 1_795_277_587)
            let lines = TokenTables.sheet(try TokenText(token), now: now, in: Golden.utc).lines(.plain)
            return lines.first { $0.hasPrefix("expires") }
        }
        #expect(try line("1795277527000") == line("1795277527"))
        for number in ["253402300799", "9007199254740991", "9223372036854775807"] {
            #expect(try line(number) == "expires      never")
        }
    }

    @Test func `permissions are a table`() throws {
        let table = TokenTables.permissions([
            (room: "lobby", permission: RoomPermission(publish: true, subscribe: true, history: 5)),
            (room: "staff", permission: .nothing),
        ])
        try Golden.expect(table.lines(.plain), "token-verify")
    }

    @Test(arguments: ["", "a.b", "a.b.c", "e30.e30", "e30.!.x"])
    func `what is not a token says so`(text: String) {
        #expect(throws: CommandFailure.self) { try TokenText(text) }
    }
}
