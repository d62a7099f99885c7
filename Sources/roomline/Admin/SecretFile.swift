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
