import Foundation
import NIOConcurrencyHelpers

/// The right to use a data directory: at most one process has it. The kernel takes it back when the process ends.
package final class DirectoryLock: Sendable {
    /// Another process has the lock.
    struct Taken: Error, Equatable {
        /// As it wrote it; `nil` where that cannot be read.
        let processID: Int32?
    }

    /// The result of a look at a lock, which takes nothing.
    package enum Use: Equatable, Sendable {
        case nobody
        /// By the process that the file names, `nil` where that cannot be read. Its number may be of another namespace.
        case process(Int32?)
        /// The lock cannot be read.
        case notKnown
    }

    /// A process that looks whether there is a broker has the lock for an instant, which must not keep one from
    /// starting.
    private static let attempts = 6
    private static let pause: UInt32 = 20_000

    private let descriptor: NIOLockedValueBox<Int32?>

    /// Takes the lock, and writes this process's id into the file if it can. Throws `Taken` or `PrivateFile.Failure`.
    init(path: String) throws {
        guard let descriptor = try Self.open(path) else {
            self.descriptor = NIOLockedValueBox(nil)
            return
        }
        var code = Self.take(descriptor)
        for _ in 1..<Self.attempts where code == EWOULDBLOCK {
            usleep(Self.pause)
            code = Self.take(descriptor)
        }
        guard code == 0 else {
            let processID = Self.readProcessID(descriptor)
            Foundation.close(descriptor)
            throw code == EWOULDBLOCK ? Taken(processID: processID) : PrivateFile.Failure(path: path, code: code)
        }
        let text = "\(getpid())\n"
        // for those who look; a full disk may keep it from being written
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
        self.descriptor = NIOLockedValueBox(descriptor)
    }

    /// On a read-only disk, the lock of an earlier process; `nil` where it has none: nobody can write anything there.
    private static func open(_ path: String) throws(PrivateFile.Failure) -> Int32? {
        do throws(PrivateFile.Failure) {
            return try PrivateFile.open(path)
        } catch {
            guard error.isReadOnly else { throw error }
            let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor < 0 else { return descriptor }
            guard errno == ENOENT else { throw PrivateFile.Failure(path: path, code: errno) }
            return nil
        }
    }

    static func use(path: String) -> Use {
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .nobody : .notKnown }
        defer { Foundation.close(descriptor) }
        if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return .nobody }
        return errno == EWOULDBLOCK ? .process(Self.readProcessID(descriptor)) : .notKnown
    }

    /// 0, or what the system says.
    private static func take(_ descriptor: Int32) -> Int32 {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
    }

    func release() {
        let descriptor = self.descriptor.withLockedValue { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let descriptor { Foundation.close(descriptor) }
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
