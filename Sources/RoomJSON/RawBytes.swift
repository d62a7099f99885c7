#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The two searches that libc does with vector instructions and a Swift loop does not.
extension UnsafeRawBufferPointer {
    package func firstOffset(of byte: UInt8) -> Int? {
        guard let base = self.baseAddress, let found = memchr(base, Int32(byte), self.count) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// Inlined, so that the length of the literal is known and the comparison becomes one of words.
    @inline(__always)
    package func equals(_ text: StaticString) -> Bool {
        guard self.count == text.utf8CodeUnitCount, let base = self.baseAddress else { return false }
        return memcmp(base, text.utf8Start, self.count) == 0
    }

    package func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }
}
