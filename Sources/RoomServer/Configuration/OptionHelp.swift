/// The options as `roomline serve --help` lists them, for a terminal of 80 columns.
package enum OptionHelp {
    private static let indent = 6
    private static let width = 79

    package static var text: String {
        OptionTable.sections.map { section in
            ([section.title.uppercased()] + section.options.map(self.entry)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func entry(_ option: ConfigurationOption) -> String {
        let margin = String(repeating: " ", count: self.indent)
        // A switch that nobody turned on needs no word.
        let note = option.arity == .toggle ? "" : " (default: \(option.defaultText))"
        let lines = self.wrapped(option.help + note, to: self.width - self.indent)
        return (["  \(option.usage)"] + lines.map { margin + $0 }).joined(separator: "\n")
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
