import ArgumentParser
import RoomModel

/// Finds a word that stands where the name of a command has to, and is none. The parser only calls it unexpected.
enum MistypedCommand {
    /// - Parameter words: the arguments of the program.
    /// - Returns: `nil` where the parser can go on.
    static func failure(in words: [String]) -> CommandFailure? {
        var words = words[...]
        let isHelp = words.first == "help"
        if isHelp { words.removeFirst() }
        var command: any ParsableCommand.Type = Roomline.self
        var path = "roomline"
        for word in words {
            let below = command.configuration.subcommands
            guard !below.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let next = below.first(where: { $0._commandName == word }) else {
                let nearest = NearestName.of(word, among: below.map { $0._commandName })
                let hint = nearest.map { "did you mean \"\(path) \($0)\"? " } ?? ""
                let help = "\"\(path) --help\" lists the commands"
                return CommandFailure(
                    code: .usage,
                    text: "there is no command \"\(path) \(word)\"; \(hint.isEmpty ? help : "\(hint)(\(help))")"
                )
            }
            command = next
            path += " \(word)"
        }
        return nil
    }
}
