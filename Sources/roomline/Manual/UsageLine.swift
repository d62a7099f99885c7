/// The line of a help, or of a mistake, that says how a command is called. The parser writes all options into it, or "<options>".
enum UsageLine {
    /// - Returns: the text with the one form that the manual page has, too.
    static func unified(in text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let prefixes = ["USAGE: roomline", "Usage: roomline"]
        guard let index = lines.firstIndex(where: { line in prefixes.contains(where: line.hasPrefix) }),
            // Where the parser tells its help in another form, its own line is as good.
            let root = try? CommandHelp(of: Roomline.self)
        else { return text }
        let words = lines[index].split(separator: " ")
        lines[index] = "\(words[0]) \(root.command(of: words.dropFirst(2)).usage)"
        return lines.joined(separator: "\n")
    }
}
