/// The words around the options in the help of the admin commands.
enum AdminHelp {
    /// The end of every help: examples, and how the command ends.
    ///
    /// - Parameters:
    ///   - text: what is to be known beside the options; may be empty.
    ///   - examples: each a command without `roomline`, and what it does.
    static func text(_ text: String = "", _ examples: (command: String, meaning: String)...) -> String {
        let lines = examples.map { "  roomline \($0.command)\n      \($0.meaning)" }.joined(separator: "\n")
        return (text.isEmpty ? "" : text + "\n\n") + "EXAMPLES\n\(lines)\n\n" + self.exitCodeText
    }

    /// For a group of commands.
    static func group(_ examples: String...) -> String {
        "EXAMPLES\n" + examples.map { "  roomline \($0)" }.joined(separator: "\n")
    }

    /// How the command ends.
    static let exitCodeText =
        "EXIT CODES\n"
        + Self.exitCodes.map { code in
            "  \(code.number)" + String(repeating: " ", count: 4 - code.number.count) + code.meaning
        }.joined(separator: "\n")

    static let exitCodes = [
        (number: "0", meaning: "done, or the reader has gone"),
        (number: "1", meaning: "the broker refused something, or the answer was no"),
        (number: "64", meaning: "a wrong option or argument"),
        (number: "69", meaning: "no broker answers"),
    ]
}
