import Foundation

/// Standard input, read when somebody asks for more and not before.
final class StandardInput: Sendable {
    private static let chunkSize = 64 * 1024

    private let readiness = Readiness(of: STDIN_FILENO, events: POLLIN)

    /// What there is, at least a byte; `nil` at the end, and in a cancelled task.
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
