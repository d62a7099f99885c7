/// A command line that is not complete yet, as a shell hands it over: what it says about the broker, the channel and the room.
struct CompletedLine: Equatable, Sendable {
    private static let adminOptions = ["--context", "--data", "--socket", "--server", "--token-file", "--trust"]

    /// By its name, the value of each option that was given one.
    private let values: [String: String]
    /// The words that stand alone, after the name of the program.
    private let words: [String]
    /// The channel of the context that is in use.
    var contextChannel: String?

    init(_ words: [String]) {
        var (values, alone): ([String: String], [String]) = ([:], [])
        var rest = Self.joined(words).dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                if !word.hasPrefix("-") { alone.append(word) }
                continue
            }
            let sides = word.split(separator: "=", maxSplits: 1).map(String.init)
            if sides.count == 2 {
                values[sides[0]] = sides[1]
            } else if let next = rest.first, !next.hasPrefix("-") {
                values[word] = next
                // Behind a flag stands a word of its own.
                if Self.adminOptions.contains(word) || ["--channel", "--room"].contains(word) { rest.removeFirst() }
            }
        }
        self.values = values
        self.words = alone
    }

    /// For `AdminOptions`. The clients' URL says nothing of where the admin API is.
    var adminArguments: [String] {
        Self.adminOptions.flatMap { name in
            guard let value = self.values[name] else { return [String]() }
            if name == "--server", !value.hasPrefix("http") { return [] }
            return [name, value]
        }
    }

    var channel: String { self.values["--channel"] ?? self.contextChannel ?? "default" }

    /// The room of `--room`, or the one behind the names of the commands: `member show lobby`.
    var room: String? {
        if let room = self.values["--room"] { return room }
        return self.words.starts(with: ["member", "show"]) && self.words.count > 3 ? self.words[2] : nil
    }

    /// bash takes a URL apart at its colons, and an option at its equals sign; all shells hand over quotes.
    private static func joined(_ words: [String]) -> [String] {
        var result: [String] = []
        var isOpen = false
        for word in words {
            let plain = word.filter { !"'\"\\".contains($0) }
            let isSeparator = plain == ":" || plain == "="
            if isSeparator || isOpen, !result.isEmpty {
                result[result.count - 1] += plain
            } else {
                result.append(plain)
            }
            isOpen = isSeparator
        }
        return result
    }
}
