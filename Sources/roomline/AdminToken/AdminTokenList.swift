import ArgumentParser
import RoomWire

/// `roomline admin-token list`
struct AdminTokenList: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the admin tokens.",
        discussion: AdminHelp.text(
            "What they are is shown once, when they are made. Where UNTIL is a dash, a token does not expire.",
            ("admin-token list", "A table."),
            ("admin-token list --json | jq -r .name", "The names, a line each.")
        )
    )

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let body = try await client.send(AdminRequest(.get, ["tokens"])).body
        let tokens = JSONFields.elements(of: "tokens", in: body)
        guard !output.isJSON else {
            for token in tokens { try output.write(token) }
            return
        }
        let documents = try tokens.map { try AdminTokenDocument(json: $0) }
        try output.write(AdminTokenTables.list(documents, in: output.timeZone))
    }
}
