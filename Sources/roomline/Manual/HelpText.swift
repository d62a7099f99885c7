/// A help whose lines are as long as their texts, wrapped for a width. Pure.
struct HelpText: Sendable {
    private static let examples = "EXAMPLES"
    /// A text beside a label has this many columns at least, or goes below the label.
    private static let narrowest = 20

    let columns: Int
    /// `false`: lines that are not set in stay as they are.
    var wrapsParagraphs = true

    func wrapped(_ text: String) -> String {
        var isExample = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            let indent = line.prefix { $0 == " " }.count
            if indent == 0, !line.isEmpty { isExample = line == Self.examples }
            guard line.count > self.columns else { return [String(line)] }
            if isExample, indent == 2 { return self.folded(line) }
            return indent > 0 || self.wrapsParagraphs ? self.wrapped(line, indent: indent) : [String(line)]
        }.joined(separator: "\n")
    }

    /// Continues below the beginning of the text, which may have a label before it.
    private func wrapped(_ line: Substring, indent: Int) -> [String] {
        let label = Self.label(of: line, indent: indent)
        let isBeside = self.columns - label.count >= Self.narrowest
        let margin = String(repeating: " ", count: isBeside ? label.count : indent + (label.count > indent ? 2 : 0))
        var lines: [String] = []
        var last = String(label)
        var isEmpty = label.allSatisfy { $0 == " " }
        for word in line.dropFirst(label.count).split(separator: " ") {
            let longer = last + (isEmpty || last.last == " " ? "" : " ") + word
            if longer.count <= self.columns || isEmpty {
                last = longer
            } else {
                lines.append(String(last.reversed().drop { $0 == " " }.reversed()))
                last = margin + word
            }
            isEmpty = false
        }
        return lines + [last]
    }

    /// The blanks before a text; or, in a list, what the text is about, with the blanks between both.
    private static func label(of line: Substring, indent: Int) -> Substring {
        let blanks = line.prefix(indent)
        guard indent > 0, let gap = line.dropFirst(indent).firstRange(of: "  ") else { return blanks }
        let text = line[gap.lowerBound...].drop { $0 == " " }
        return line[..<text.startIndex]
    }

    /// A command on several lines that a shell takes for one.
    private func folded(_ line: Substring) -> [String] {
        var lines: [String] = []
        var last = ""
        for word in Self.words(of: line.drop { $0 == " " }) {
            let longer = last.isEmpty ? "  \(word)" : "\(last) \(word)"
            if last.isEmpty || longer.count + 2 <= self.columns {
                last = longer
            } else {
                lines.append(last + " \\")
                last = "    \(word)"
            }
        }
        return lines + [last]
    }

    /// What blanks divide that no quotes hold together.
    private static func words(of command: Substring) -> [String] {
        var words = [""]
        var quote: Character?
        for character in command {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " {
                words.append("")
                continue
            }
            words[words.count - 1].append(character)
        }
        return words.filter { !$0.isEmpty }
    }
}
