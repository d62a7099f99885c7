import ArgumentParser

/// `roomline completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.",
        discussion: """
            The shell completes commands, options and files, and the names of channels, rooms, members and users: these \
            it asks the broker that the command line means, which has a second to answer.

            \(AdminHelp.group(
            "completions bash > ~/.local/share/bash-completion/completions/roomline",
            "completions zsh > ~/.zfunc/_roomline",
            "completions fish > ~/.config/fish/completions/roomline.fish"))
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "SHELL"))
    var shell: Shell

    func run() throws {
        let shell: CompletionShell =
            switch self.shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try StandardOutput.output.write(CompletedRoomline.completionScript(for: shell) + "\n")
    }
}

/// The command as a shell knows it.
struct CompletedRoomline: ParsableCommand {
    static let configuration: CommandConfiguration = {
        var configuration = Roomline.configuration
        configuration.ungroupedSubcommands = configuration.ungroupedSubcommands.map { command in
            command == Serve.self ? CompletedServe.self : command
        }
        return configuration
    }()

    /// Answers a completion script. The parser runs the completion while it parses, and hands over its answer as an error.
    static func answer() -> Never {
        do {
            _ = try self.parseAsRoot(Array(CommandLine.arguments.dropFirst()))
            self.exit()
        } catch {
            CommandFailure.exit(self, with: error)
        }
    }
}
