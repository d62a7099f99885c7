import ArgumentParser
import RoomAdmin
import RoomServer

/// The one command. Each subcommand is a file of its own.
@main
struct Roomline: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roomline",
        abstract: "A room broker: clients join rooms, publish messages and see the other members.",
        discussion: """
            Start the broker with "roomline serve", then run "roomline chat --name NAME" in two other terminals. A plain-text \
            client works, too: run "nc 127.0.0.1 10000" and type iam:NAME and msg:TEXT.
            """,
        version: BrokerVersion.full,
        subcommands: [Serve.self, Chat.self, Publish.self, Tail.self, Bench.self, Completions.self, Manual.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Administration",
                subcommands: [
                    ContextCommands.self, ChannelCommands.self, RoomCommands.self, MemberCommands.self,
                    TokenCommands.self,
                    AdminTokenCommands.self, Console.self, HistoryCommands.self, Stats.self, Trace.self, Events.self,
                    Audit.self,
                    Backup.self,
                    ClusterCommands.self,
                    RestoreCommand.self, DoctorCommand.self, Health.self,
                ]
            )
        ]
    )

    /// Of the process. `-h` asks for help everywhere, also where a word such as `-dash` may be meant as a message.
    private static var arguments: [String] {
        let arguments = CommandLine.arguments.dropFirst()
        let options = arguments.prefix { $0 != "--" }
        return options.map { $0 == "-h" ? "--help" : $0 } + arguments.dropFirst(options.count)
    }

    @MainActor static func main() async {
        StandardOutput.prepare()
        // On this thread, which may wait: those of asynchronous work may be as few as one.
        if CommandLine.arguments.dropFirst().first == "---completion" { CompletedRoomline.answer() }
        do {
            if let failure = MistypedCommand.failure(in: Self.arguments) { throw failure }
            var command = try await Self.asyncParseAsRoot(Self.arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            CommandFailure.exit(Self.self, with: error)
        }
    }
}
