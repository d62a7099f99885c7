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

    /// Whether version and variant are those of a version 7 UUID.
    package var isVersion7: Bool { self.high & 0xf000 == 0x7000 && self.low >> 62 == 0b10 }

    /// The Unix milliseconds of a version 7 UUID.
    package var milliseconds: Int64 { Int64(self.high >> 16) }

    /// The 12 bits after the version of a version 7 UUID.
    package var sequence: UInt16 { UInt16(truncatingIfNeeded: self.high) & 0xfff }

    /// Reads `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, hexadecimal in either case; anything else is `nil`.
    package init?(_ text: some Collection<UInt8>) {
        // The loop is over bytes in memory: a generic one, which other modules call unspecialised, takes microseconds.
        let id =
            text.withContiguousStorageIfAvailable { UniqueID(characters: $0) }
            ?? Array(text).withUnsafeBufferPointer { UniqueID(characters: $0) }
        guard let id else { return nil }
        self = id
    }

    private init?(characters text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Self.hexValue(byte) else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(value)
            } else {
                halves.1 = halves.1 << 4 | UInt64(value)
            }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
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
        Self.write(self.high, digits: 0..<8, to: bytes, at: 0)
        bytes[8] = UInt8(ascii: "-")
        Self.write(self.high, digits: 8..<12, to: bytes, at: 9)
        bytes[13] = UInt8(ascii: "-")
        Self.write(self.high, digits: 12..<16, to: bytes, at: 14)
        bytes[18] = UInt8(ascii: "-")
        Self.write(self.low, digits: 0..<4, to: bytes, at: 19)
        bytes[23] = UInt8(ascii: "-")
        Self.write(self.low, digits: 4..<16, to: bytes, at: 24)
    }

    private static func write(
        _ half: UInt64,
        digits: Range<Int>,
        to bytes: UnsafeMutableRawBufferPointer,
        at start: Int
    ) {
        for digit in digits {
            let nibble = UInt8(truncatingIfNeeded: half &>> UInt64(60 - 4 * digit)) & 0xf
            // 0x27 is the distance from behind "9" to "a"
            bytes[start + digit - digits.lowerBound] = nibble &+ UInt8(ascii: "0") &+ (nibble > 9 ? 0x27 : 0)
        }
    }
}

/// The fields that the delivery module puts on every frame that goes out (protocol §2): the id, the time and the
/// sender.
package struct Stamp: Equatable, Sendable {
    /// UUIDv7, strictly increasing within a room.
    package let id: UniqueID
    package let sender: Sender

    package init(id: UniqueID, sender: Sender) {
        self.id = id
        self.sender = sender
    }

    /// Unix seconds: those of the id.
    package var timestamp: Int64 { self.id.milliseconds / 1_000 }
}
