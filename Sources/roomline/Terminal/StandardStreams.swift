import Foundation

/// Standard input, read when somebody asks for more and not before.
final class StandardInput: Sendable {
    private static let chunkSize = 64 * 1024

    private let readiness = Readiness(of: STDIN_FILENO, events: POLLIN)

    /// Whether it is a file, which can be read again.
    var isFile: Bool {
        var status = stat()
        return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The bytes that there are, at least one; `nil` at the end, and in a cancelled task.
    func next() async -> [UInt8]? {
        while await self.readiness.wait() {
            var bytes = [UInt8](repeating: 0, count: Self.chunkSize)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 { return Array(bytes.prefix(count)) }
            if count == 0 || (errno != EINTR && errno != EAGAIN) { return nil }
        }
        return nil
    }
}

/// Standard output or standard error, written at once and completely.
struct StandardOutput: Sendable {
    /// It cannot be written to any more. Where the reader has gone, as `head` does, that is no failure.
    struct Closed: Error {
        let code: Int32
        /// How many bytes it took before.
        let written: Int

        var isGone: Bool { self.code == EPIPE }
    }

    /// For the whole process, before it opens anything: a closed stream stays one that cannot be written to or read, and is not the
    /// first file that the process opens. A write to a pipe whose reader has gone is an error, and not the end of the process.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free descriptor, so this one. Open for the wrong direction, so that its use is an error.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    static let output = StandardOutput(descriptor: STDOUT_FILENO)
    static let errors = StandardOutput(descriptor: STDERR_FILENO)

    let descriptor: Int32

    var isTerminal: Bool { isatty(self.descriptor) == 1 }

    /// Waits until nobody reads it any more. A pipe would tell that only with the next write.
    func readerHasGone() async {
        _ = await Readiness(of: self.descriptor, events: 0).wait()
    }

    func write(_ text: String) throws(Closed) {
        try self.write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) throws(Closed) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(self.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var event = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&event, 1, -1)
            } else if errno != EINTR {
                throw Closed(code: errno, written: bytes.count - rest.count)
            }
        }
    }
}

/// How large the terminal is that standard output goes to.
enum TerminalSize {
    static var columns: Int { self.current.columns }

    static var current: (columns: Int, rows: Int) { self.size(STDOUT_FILENO) }

    /// The columns of another one of its streams.
    static func columns(of output: StandardOutput) -> Int { self.size(output.descriptor).columns }

    /// 80 × 24 where it does not tell.
    private static func size(_ descriptor: Int32) -> (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
