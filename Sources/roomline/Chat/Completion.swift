/// The text that the tab key makes of the word before the cursor: a name of somebody here, or a command. Pure.
struct Completion: Equatable, Sendable {
    /// So many characters before the cursor go.
    let replaced: Int
    let text: String
    /// All that begin like that, where there are several.
    let candidates: [String]

    /// `nil` where nothing begins like that. Where several begin so, the text is what they have in common.
    init?(of before: String, people: [String]) {
        let isCommand = before.hasPrefix("/") && !before.contains(" ")
        let list = ChatCommand.list + ModerationCommand.list
        let commands = list.map { String($0.command.prefix { $0 != " " }) }
            .filter { !$0.hasPrefix("//") }
        let word = before.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
        guard !word.isEmpty else { return nil }
        let found = (isCommand ? commands : people).filter { $0.lowercased().hasPrefix(word.lowercased()) }
        guard let first = found.first else { return nil }
        let common = found.dropFirst().reduce(first) { Self.common($0, $1) }
        let end = found.count > 1 ? "" : isCommand ? " " : word.count == before.count ? ": " : " "
        self.replaced = word.count
        self.text = common + end
        self.candidates = found.count > 1 ? found : []
    }

    private static func common(_ first: String, _ second: String) -> String {
        String(zip(first, second).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
    }
}
