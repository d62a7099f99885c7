import ArgumentParser

/// The one command. Each subcommand is a file of its own.
@main
struct Roomline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roomline",
        abstract: "A room broker: clients join rooms, publish messages and see who else is there.",
        discussion: """
            Start it with "roomline serve", then "nc 127.0.0.1 10000" in two other terminals: type iam:NAME and \
            msg:TEXT, and each sees what the other says.
            """,
        version: "0.1.0",
        subcommands: [Serve.self]
    )
}
