import Foundation
import RoomClient
import RoomModel

/// A new file for a secret, which from its beginning nobody else may read.
struct SecretFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Where the secret is written first, if it takes the place of another file then.
    private let draft: String?

    /// - Throws: where there is one already, or it cannot be made.
    init(creating path: String) throws(CommandFailure) {
        try self.init(path: path, draft: nil)
    }

    /// A file that takes the place of the one of this name, if there is one, when it is written.
    init(replacing path: String) throws(CommandFailure) {
        try self.init(path: path, draft: "\(path).new-\(getpid())")
    }

    private init(path: String, draft: String?) throws(CommandFailure) {
        self.path = path
        self.draft = draft
        self.descriptor = open(draft ?? path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard self.descriptor < 0 else { return }
        let reason =
            errno == EEXIST
            ? "is there already: remove it, give another name, or say --overwrite"
            : "cannot be made: \(String(cString: strerror(errno)))"
        throw CommandFailure(code: .usage, text: "the file \(path) \(reason)")
    }

    /// Writes the secret as a line, and closes the file.
    func write(_ secret: String) throws(CommandFailure) {
        defer { close(self.descriptor) }
        do throws(StandardOutput.Closed) {
            try StandardOutput(descriptor: self.descriptor).write(secret + "\n")
        } catch {
            throw self.failure(error.code)
        }
        guard let draft else { return }
        guard rename(draft, self.path) == 0 else { throw self.failure(errno) }
    }

    private func failure(_ code: Int32) -> CommandFailure {
        CommandFailure(
            code: .refused,
            text: "the file \(self.path) cannot be written to: \(String(cString: strerror(code)))"
        )
    }

    /// There is no secret to write.
    func remove() {
        close(self.descriptor)
        unlink(self.draft ?? self.path)
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
            let text = String(
                decoding: (ClientOptions.environment[variable] ?? "").utf8.withoutByteOrderMark,
                as: UTF8.self
            )
            let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
            return value.isEmpty ? nil : value
        }
        let name = file == "-" ? "standard input" : "the \(what) file \(file)"
        guard let text = file == "-" ? self.standardInput() : try self.text(of: file, name) else {
            throw CommandFailure(code: .usage, text: "\(name) cannot be read")
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard let secret = lines.first else { throw CommandFailure(code: .usage, text: "\(name) is empty") }
        guard lines.count == 1 else {
            throw CommandFailure(
                code: .usage,
                text: "\(name) has \(lines.count) lines; it has to have the \(what) alone, on one line"
            )
        }
        return secret
    }

    private static func text(of file: String, _ name: String) throws(CommandFailure) -> String {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory) else {
            throw CommandFailure(code: .usage, text: "\(name) does not exist")
        }
        guard !isDirectory.boolValue else { throw CommandFailure(code: .usage, text: "\(name) is a directory") }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: file)).withoutByteOrderMark
        } catch {
            throw CommandFailure(code: .usage, text: "\(name) cannot be read: \(ErrorReason.text(error))")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CommandFailure(code: .usage, text: "\(name) is not a text")
        }
        return text
    }

    private static func standardInput() -> String? {
        // It throws where standard input is closed or a directory: then there is nothing to read.
        (try? FileHandle.standardInput.readToEnd()).map {
            String(decoding: $0.withoutByteOrderMark, as: UTF8.self)
        }
    }
}
