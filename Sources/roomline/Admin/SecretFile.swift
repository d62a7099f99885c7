import Foundation

/// A new file for a secret, which from its beginning nobody else may read.
struct SecretFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Throws: where there is one already, or it cannot be made.
    init(creating path: String) throws(CommandFailure) {
        self.path = path
        self.descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard self.descriptor < 0 else { return }
        let reason =
            errno == EEXIST
            ? "is there already: remove it, or give another name"
            : "cannot be made: \(String(cString: strerror(errno)))"
        throw CommandFailure(code: .usage, text: "the file \(path) \(reason)")
    }

    /// Writes the secret as a line, and closes the file.
    func write(_ secret: String) throws(CommandFailure) {
        defer { close(self.descriptor) }
        do throws(StandardOutput.Closed) {
            try StandardOutput(descriptor: self.descriptor).write(secret + "\n")
        } catch {
            let reason = String(cString: strerror(error.code))
            throw CommandFailure(code: .refused, text: "the file \(self.path) cannot be written to: \(reason)")
        }
    }

    /// There is no secret to write.
    func remove() {
        close(self.descriptor)
        unlink(self.path)
    }
}

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
