import Glibc
import NIOConcurrencyHelpers

/// The right to use a data directory: at most one process has it. The kernel takes it back when the process ends.
final class DirectoryLock: Sendable {
    /// Another process has the lock.
    struct Taken: Error, Equatable {
        /// As it wrote it; `nil` where that cannot be read.
        let processID: Int32?
    }

    private let descriptor: NIOLockedValueBox<Int32?>

    /// Takes the lock and writes this process's id into the file. Throws `Taken` or `PrivateFile.Failure`.
    init(path: String) throws {
        let descriptor = try PrivateFile.open(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let processID = Self.readProcessID(descriptor)
            Glibc.close(descriptor)
            throw code == EWOULDBLOCK ? Taken(processID: processID) : PrivateFile.Failure(path: path, code: code)
        }
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
            let code = errno
            Glibc.close(descriptor)
            throw PrivateFile.Failure(path: path, code: code)
        }
        self.descriptor = NIOLockedValueBox(descriptor)
    }

    /// Whether a process has the lock, and which as far as it can be read; takes nothing. `nil`: nobody has it.
    static func holder(path: String) -> Taken? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return Taken(processID: Self.readProcessID(descriptor))
    }

    func release() {
        let descriptor = self.descriptor.withLockedValue { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let descriptor { Glibc.close(descriptor) }
    }

    deinit {
        self.release()
    }

    private static func readProcessID(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
