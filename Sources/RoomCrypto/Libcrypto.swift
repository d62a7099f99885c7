#if !canImport(CryptoKit)
import CLibcrypto

/// SHA-256 (FIPS 180-4) by the system's libcrypto, of one piece or of several.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            preconditionFailure("libcrypto provides no SHA-256")
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(self.context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
        precondition(isAdded == 1, "libcrypto failed to hash")
    }

    package consuming func finalize() -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.length)
        let isDone = EVP_DigestFinal_ex(self.context, &digest, nil)
        precondition(isDone == 1, "libcrypto failed to hash")
        return SHA256Digest(bytes: digest)
    }

    package static func hash(_ bytes: [UInt8]) -> SHA256Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finalize()
    }
}

/// HMAC-SHA-256 (RFC 2104) with one key, by the system's libcrypto.
package struct HMACSHA256: Sendable {
    private let key: [UInt8]

    package init(key: [UInt8]) { self.key = key }

    package func code(for bytes: [UInt8]) -> [UInt8] {
        guard let code = self.computed(for: bytes) else { preconditionFailure("libcrypto provides no HMAC-SHA-256") }
        return code
    }

    /// Compares in constant time. A code that libcrypto refuses to compute, as with a key too short for its policy,
    /// makes everything invalid.
    package func isValid(_ code: [UInt8], for bytes: [UInt8]) -> Bool {
        self.computed(for: bytes).map { ConstantTime.areEqual($0, code) } ?? false
    }

    private func computed(for bytes: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: SHA256Digest.length)
        let result = HMAC(EVP_sha256(), self.key, Int32(self.key.count), bytes, bytes.count, &code, nil)
        return result == nil ? nil : code
    }
}

enum ConstantTime {
    /// How long it takes depends on the lengths only.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }
}
#endif
