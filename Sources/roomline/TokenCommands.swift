import ArgumentParser

/// `roomline token …`
struct TokenCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make and check the tokens that clients connect with.",
        discussion: """
            All of it is done here, with the channel's secret, and no broker is asked. Secrets and tokens come from files, \
            standard input or the environment: an argument can be seen by everybody on the machine.

            \(AdminHelp.group(
                "token make --channel shop --secret-file shop.secret --allow '.*=publish,subscribe'",
                "token inspect luke.token", "token verify luke.token --channel shop --secret-file shop.secret"))
            """,
        subcommands: [TokenMake.self, TokenInspect.self, TokenVerify.self]
    )
}
