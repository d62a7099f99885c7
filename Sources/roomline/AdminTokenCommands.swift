import ArgumentParser

/// `roomline admin-token …`
struct AdminTokenCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin-token",
        abstract: "Make and end the tokens that these commands show at --server.",
        discussion: AdminHelp.group(
            "admin-token create ops --scope manage --expires 90d --output ops.token",
            "admin-token list",
            "stats --server https://chat.example --token-file ops.token"
        ),
        subcommands: [AdminTokenCreate.self, AdminTokenList.self, AdminTokenDelete.self]
    )
}
