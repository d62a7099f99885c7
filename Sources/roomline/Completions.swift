import ArgumentParser

/// `roomline completions`
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a completion script for a shell.",
        discussion: AdminHelp.group(
            "completions bash > ~/.local/share/bash-completion/completions/roomline",
            "completions zsh > ~/.zfunc/_roomline",
            "completions fish > ~/.config/fish/completions/roomline.fish"
        )
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
        print(Roomline.completionScript(for: shell))
    }
}
