import ArgumentParser
import Foundation
import RoomAdmin
import RoomJSON

/// `roomline admin-token …`
struct AdminTokenCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-token",
        abstract: "Make, list and delete the tokens for the admin API.",
        discussion: AdminHelp.group(
            "admin-token create ops --scope manage --expires 90d --output ops.token",
            "admin-token list",
            "stats --server https://chat.example --token-file ops.token"
        ),
        subcommands: [AdminTokenCreate.self, AdminTokenListing.self, AdminTokenDelete.self]
    )
}

/// `roomline admin-token list`
struct AdminTokenListing: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the admin tokens.",
        discussion: AdminHelp.text(
            "A token itself is shown only once, by \"admin-token create\". A dash under UNTIL: the token does not expire.",
            ("admin-token list", "A table."),
            ("admin-token list --json | jq -r .name", "The names, a line each.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let answer = try await client.answer(to: .tokens)
        guard !output.isJSON else {
            for token in JSONFields.elements(of: "tokens", in: answer.response.body) { try output.write(token) }
            return
        }
        try output.write(AdminTokenTables.list(try answer.value().tokens, in: output.timeZone))
    }
}

/// `roomline admin-token delete`
struct AdminTokenDelete: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an admin token. It is refused from then on.",
        discussion: AdminHelp.text(
            "",
            ("admin-token delete ops", "Ask for confirmation, then delete."),
            ("admin-token delete ops --yes", "In a script: do not ask.")
        )
    )

    @Argument(help: ArgumentHelp("The name of the token, as \"admin-token list\" shows it.", valueName: "NAME"))
    var name: String

    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try Confirmation.ask("deletes the admin token \(self.name)", isGiven: self.yes)
        try await client.send(.deleteToken(self.name))
        if !output.isJSON { CommandFailure.say("the admin token \(self.name) is deleted") }
    }
}

/// Admin tokens as people read them.
enum AdminTokenTables {
    static func list(_ tokens: [AdminToken], in timeZone: TimeZone) -> Table {
        Table(
            [.text("NAME"), .text("SCOPES"), .moment("SINCE"), .moment("UNTIL")],
            tokens.map { token in
                [
                    Cell(token.name), Cell(token.scopes.map(\.rawValue).joined(separator: ", ")),
                    Cell(ShownTime.moment(token.createdAt, in: timeZone)),
                    .optional(token.expiresAt) { ShownTime.moment($0, in: timeZone) },
                ]
            }
        )
    }
}
