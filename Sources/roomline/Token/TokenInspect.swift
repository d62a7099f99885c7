import ArgumentParser
import Foundation
import RoomWire

/// `roomline token inspect`
struct TokenInspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what is in a token, whoever has signed it.",
        discussion: AdminHelp.text(
            "Anybody can read a token, and anybody can write one that says the same: \"token verify\" tells who signed it.",
            ("token inspect luke.token", "Its claims, a line each."),
            ("token inspect --json < luke.token | jq .claims.permissions", "Part of them.")
        )
    )

    @OptionGroup
    var token: TokenArgument

    @Flag(help: "Write an object with the header and the claims.")
    var json = false

    func run() async throws {
        try await CommandFailure.reporting {
            let token = try TokenText(try self.token.text())
            let output = AdminOutput(isJSON: self.json)
            guard self.json else {
                return try output.write(TokenTables.sheet(token, now: Date(), in: output.timeZone))
            }
            try output.write(
                JSONTree.object([.init("header", token.header), .init("claims", token.claims)]).bytes
            )
        }
    }
}
