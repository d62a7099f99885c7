import ArgumentParser
import Foundation

/// A command as the argument parser knows it, with those below it: the same that `--help` shows.
struct CommandHelp: Decodable, Equatable, Sendable {
    /// An argument, an option or a flag.
    struct Argument: Decodable, Equatable, Sendable {
        enum Kind: String, Decodable, Sendable {
            case positional, option, flag
        }

        struct Name: Decodable, Equatable, Sendable {
            let kind: String
            let name: String

            var text: String { (self.kind == "short" ? "-" : "--") + self.name }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        /// `nil` for what has none: its place says what it is.
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let abstract: String?

        /// As it stands in a usage: `ROOM`, `[MEMBER]`
        fileprivate var place: String {
            let name = (self.valueName ?? "VALUE") + (self.isRepeating ? " ..." : "")
            return self.isOptional ? "[\(name)]" : name
        }
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool
    let superCommands: [String]?
    let subcommands: [CommandHelp]?
    let arguments: [Argument]?

    /// As it is typed: `roomline room lock`
    var path: String { ((self.superCommands ?? []) + [self.commandName]).joined(separator: " ") }

    /// It, and all below it that are shown, in the order of the help.
    var all: [CommandHelp] {
        // The parser adds the command that shows help.
        [self] + (self.subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }.flatMap(\.all)
    }

    var isGroup: Bool { !(self.subcommands ?? []).isEmpty }

    /// How it is called: `roomline member list ROOM [options]`
    var usage: String {
        let places = self.shownArguments.filter { $0.kind == .positional }.map(\.place)
        return ([self.path] + places + [self.isGroup ? "COMMAND" : "[options]"]).joined(separator: " ")
    }

    /// The command of these words, which may go on with others.
    func command(of words: some Collection<Substring>) -> CommandHelp {
        let below = words.first.flatMap { word in self.subcommands?.first { $0.commandName == word } }
        return below?.command(of: words.dropFirst()) ?? self
    }

    var shownArguments: [Argument] { (self.arguments ?? []).filter(\.shouldDisplay) }
}

extension CommandHelp {
    /// - Throws: where the parser tells it in another form than the one that is known here.
    init(of type: any ParsableArguments.Type) throws {
        // The output of --experimental-dump-help, by which the parser's own generator goes, too.
        self = try JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8)).command
    }

    private struct Dump: Decodable {
        let command: CommandHelp
    }
}
