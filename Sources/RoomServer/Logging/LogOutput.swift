#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where lines of the log go: a file descriptor.
///
/// A line is one `write`, so lines of several threads never mix and no lock is needed.
struct LogOutput: Sendable {
    let descriptor: Int32

    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    /// Colours are for a terminal whose user has not asked to be spared (no-color.org).
    func wantsColor(environment: [String: String]) -> Bool {
        isatty(self.descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func emit(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = write(self.descriptor, start, rest.count)
                if count < 0, errno == EINTR { continue }
                // Nobody is left to be told that the log is gone.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }
}
