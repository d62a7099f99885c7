/// A SHA-256 hash (FIPS 180-4). Two are compared in constant time: how long it takes does not depend on how much of them
/// is equal.
package struct SHA256Digest: Hashable, Sendable {
    static let length = 32

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// 64 hexadecimal digits, in lower case.
    package var hex: String {
        self.bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    package static func == (left: Self, right: Self) -> Bool {
        ConstantTime.areEqual(left.bytes, right.bytes)
    }
}
