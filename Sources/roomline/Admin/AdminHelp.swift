/// The words around the options in the help of the admin commands.
enum AdminHelp {
    /// The end of every help: examples, and how the command ends.
    ///
    /// - Parameters:
    ///   - text: what is to be known beside the options; may be empty.
    ///   - examples: each a command without `roomline`, and what it does.
    static func text(_ text: String = "", _ examples: (command: String, meaning: String)...) -> String {
        let lines = examples.map { "  roomline \($0.command)\n      \($0.meaning)" }.joined(separator: "\n")
        return (text.isEmpty ? "" : text + "\n\n") + "EXAMPLES\n\(lines)\n\n" + self.exitCodes
    }

    /// For a group of commands.
    static func group(_ examples: String...) -> String {
        "EXAMPLES\n" + examples.map { "  roomline \($0)" }.joined(separator: "\n")
    }

    private static let exitCodes = """
        EXIT CODES
          0   done, or nobody reads any more
          1   the broker refused something, or the answer was no
          64  a wrong option or argument
          69  no broker answers
        """
}
