#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Random bits, drawn from the system in blocks: one system call a UUID would cost more than all else that it takes.
package struct Entropy {
    private var block: [UInt64] = []
    private let refill: () -> [UInt64]

    /// `refill` gives the next block, never an empty one.
    package init(refill: @escaping () -> [UInt64]) {
        self.refill = refill
    }

    package static var system: Entropy { Entropy(refill: Self.systemBlock) }

    package mutating func next() -> UInt64 {
        if self.block.isEmpty { self.block = self.refill() }
        return self.block.removeLast()
    }

    private static func systemBlock() -> [UInt64] {
        var block = [UInt64](repeating: 0, count: 512)
        var filled = 0
        block.withUnsafeMutableBytes { bytes in
            while filled < bytes.count {
                // getentropy(3) gives at most 256 bytes a call
                let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<min(filled + 256, bytes.count)])
                guard let start = piece.baseAddress, getentropy(start, piece.count) == 0 else { break }
                filled += piece.count
            }
        }
        guard filled == 8 * block.count else {
            var generator = SystemRandomNumberGenerator()
            return [generator.next()]
        }
        return block
    }
}
