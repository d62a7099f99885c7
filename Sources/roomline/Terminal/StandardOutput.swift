import Foundation

/// Standard output or standard error, written at once and completely.
struct StandardOutput: Sendable {
    /// It cannot be written to any more. Where the reader has gone, as `head` does, that is no failure.
    struct Closed: Error {
        let code: Int32
        var isGone: Bool { self.code == EPIPE }
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
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(self.descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var event = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&event, 1, -1)
            } else if errno != EINTR {
                throw Closed(code: errno)
            }
        }
    }
}
