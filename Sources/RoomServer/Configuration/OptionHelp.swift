/// The options as `roomline serve --help` lists them: a line for each, and its text on the next one, however long it is.
package enum OptionHelp {
    private static let margin = String(repeating: " ", count: 6)

    package static var text: String {
        OptionTable.sections.map { section in
            ([section.title.uppercased()] + section.options.map(self.entry)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static func entry(_ option: ConfigurationOption) -> String {
        // A switch that nobody turned on needs no word.
        let note = option.arity == .toggle ? "" : " (default: \(option.defaultText))"
        return "  \(option.usage)\n\(self.margin)\(option.help)\(note)"
    }
}
