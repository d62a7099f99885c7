import ArgumentParser

/// `roomline admin-token delete`
struct AdminTokenDelete: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "End an admin token, at once.",
        discussion: AdminHelp.text(
            "",
            ("admin-token delete ops", "It asks first."),
            ("admin-token delete ops --yes", "In a script, where nobody can be asked.")
        )
    )

    @Argument(help: ArgumentHelp("Its name, as \"admin-token list\" shows it.", valueName: "NAME"))
    var name: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try Confirmation.ask("ends the admin token \(self.name), and whoever uses it is refused", isGiven: self.yes)
        _ = try await client.send(AdminRequest(.delete, ["tokens", self.name]))
        if !output.isJSON { CommandFailure.say("the admin token \(self.name) is worth nothing any more") }
    }
}
