import ArgumentParser

/// `roomline channel delete`
struct ChannelDelete: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a channel with its secrets and its history.",
        discussion: AdminHelp.text(
            "Its members are let go. Nothing of it comes back.",
            ("channel delete shop", "It asks first."),
            ("channel delete shop --yes", "In a script, where nobody can be asked.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"))
    var id: String

    @Option(help: ArgumentHelp("Only if the channel still has this version.", valueName: "N"))
    var ifVersion: Int64?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        // A name that there is not is to be told before somebody says yes to it.
        _ = try await client.send(AdminRequest(.get, ["channels", self.id]))
        let deed = "removes the channel \(self.id) with its secrets and all that its rooms have kept"
        try Confirmation.ask(deed, isGiven: self.yes)
        _ = try await client.send(AdminRequest(.delete, ["channels", self.id], version: self.ifVersion))
        if !output.isJSON { CommandFailure.say("the channel \(self.id) is gone") }
    }
}
