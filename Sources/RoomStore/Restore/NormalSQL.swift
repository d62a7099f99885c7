/// SQL as SQLite reads it: without comments, and with as few blanks as keep its words apart.
enum NormalSQL {
    private static let punctuation: Set<Character> = ["(", ")", ","]

    static func of(_ sql: String) -> String {
        var normal = ""
        var rest = Substring(sql)
        var isApart = false
        while let first = rest.first {
            if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
                isApart = true
            } else if rest.hasPrefix("/*") {
                rest = rest.dropFirst(2).firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
                isApart = true
            } else if first.isWhitespace {
                rest.removeFirst()
                isApart = true
            } else {
                let touches = self.punctuation.contains(first) || normal.last.map(self.punctuation.contains) ?? true
                if isApart, !touches { normal.append(" ") }
                isApart = false
                let word = self.quoted(rest, by: first) ?? rest.prefix(1)
                normal += word
                rest = rest[word.endIndex...]
            }
        }
        return normal
    }

    /// A literal or a quoted name at the beginning, as it is; a quote within it is doubled, which makes two of them.
    private static func quoted(_ text: Substring, by first: Character) -> Substring? {
        let end: Character
        switch first {
        case "'", "\"", "`": end = first
        case "[": end = "]"
        default: return nil
        }
        guard let last = text.dropFirst().firstIndex(of: end) else { return text }
        return text[...last]
    }
}
