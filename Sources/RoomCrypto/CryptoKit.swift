#if canImport(CryptoKit)
import CryptoKit
import Darwin

/// SHA-256 (FIPS 180-4) by CryptoKit, of one piece or of several.
package struct SHA256: ~Copyable {
    private var state = CryptoKit.SHA256()

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) { self.state.update(bufferPointer: bytes) }

    package consuming func finalize() -> SHA256Digest { SHA256Digest(bytes: Array(self.state.finalize())) }

    package static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        SHA256Digest(bytes: Array(CryptoKit.SHA256.hash(data: bytes)))
    }
}

/// HMAC-SHA-256 (RFC 2104) with one key, by CryptoKit, which overwrites the key before its memory is freed.
package struct HMACSHA256: Sendable {
    private let key: SymmetricKey

    package init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    package func code(for bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<CryptoKit.SHA256>.authenticationCode(for: bytes, using: self.key))
    }

    /// Compares in constant time.
    package func isValid(_ code: [UInt8], for bytes: [UInt8]) -> Bool {
        HMAC<CryptoKit.SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: self.key)
    }
}

enum ConstantTime {
    /// How long it takes depends on the lengths only.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && timingsafe_bcmp(left, right, left.count) == 0
    }
}
#endif
