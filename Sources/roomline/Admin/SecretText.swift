import Foundation

/// A secret as commands take one: from a file, from standard input or from the environment, and never as an argument, which
/// every user of the machine can see.
enum SecretText {
    /// - Parameters:
    ///   - file: its path, `-` for standard input; `nil`: the environment has it, or nobody.
    ///   - what: what it is, for the errors.
    /// - Returns: without blanks and line breaks around it; `nil` where there is none.
    static func read(file: String?, variable: String, what: String) throws(CommandFailure) -> String? {
        guard let file else {
            let value = ClientOptions.environment[variable]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            return value.isEmpty ? nil : value
        }
        guard let text = file == "-" ? self.standardInput() : try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandFailure(code: .usage, text: "the \(what) file \(file) cannot be read")
        }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw CommandFailure(code: .usage, text: "the \(what) file \(file) is empty") }
        return secret
    }

    private static func standardInput() -> String? {
        // It throws where standard input is closed or a directory: then there is nothing to read.
        (try? FileHandle.standardInput.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }
}
