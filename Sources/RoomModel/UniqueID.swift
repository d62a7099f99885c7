/// A UUID (RFC 9562) as its 128 bits: the id that the broker stamps on a frame, or a client's `message_id`.
package struct UniqueID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let textLength = 36

    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A version 7 UUID: 48 bits of Unix milliseconds, 12 bits of sequence, 62 random bits (RFC 9562 §5.7, §6.2 method 1).
    package init(milliseconds: Int64, sequence: UInt16, random: UInt64) {
        self.high = UInt64(bitPattern: milliseconds) << 16 | 0x7000 | UInt64(sequence & 0xfff)
        self.low = 0x8000_0000_0000_0000 | random >> 2
    }

    /// The Unix milliseconds of a version 7 UUID.
    package var milliseconds: Int64 { Int64(self.high >> 16) }

    /// The 12 bits after the version of a version 7 UUID.
    package var sequence: UInt16 { UInt16(truncatingIfNeeded: self.high) & 0xfff }

    /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, hexadecimal in either case; anything else is `nil`.
    package init?(_ text: some Collection<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(value)
            } else {
                halves.1 = halves.1 << 4 | UInt64(value)
            }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    package static func < (left: UniqueID, right: UniqueID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    package var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { bytes in
            self.writeText(into: UnsafeMutableRawBufferPointer(bytes))
            return Self.textLength
        }
    }

    /// Writes the 36 lower-case characters to the start of `bytes`.
    package func writeText(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.textLength)
        var position = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                bytes[position] = UInt8(ascii: "-")
                position += 1
            }
            let half = digit < 16 ? self.high : self.low
            let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 0xf
            bytes[position] = nibble < 10 ? nibble &+ UInt8(ascii: "0") : nibble &+ UInt8(ascii: "a") &- 10
            position += 1
        }
    }
}
