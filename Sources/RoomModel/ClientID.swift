/// The `client_id` of a member. Ours have 15 characters of `0-9 A-Z a-z` (89 bits), so that Swift keeps them inline.
package struct ClientID: Hashable, Sendable, CustomStringConvertible {
    package static let length = 15

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Makes an id from 128 random bits.
    package init(high: UInt64, low: UInt64) {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        var (high, low) = (high, low)
        self.text = String(unsafeUninitializedCapacity: Self.length) { bytes in
            for index in 0..<Self.length {
                if index < 8 {
                    bytes[index] = alphabet[Int(high % 62)]
                    high /= 62
                } else {
                    bytes[index] = alphabet[Int(low % 62)]
                    low /= 62
                }
            }
            return Self.length
        }
    }

    package var description: String { self.text }
}
