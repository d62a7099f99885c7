/// The address of a peer, IPv4 or IPv6, read without any resolver. An IPv4 address that comes mapped into IPv6
/// (`::ffff:192.0.2.1`) is that IPv4 address; a zone (`fe80::1%eth0`) is dropped.
package struct IPAddress: Hashable, Sendable {
    /// The 128 bits as IPv6 has them; IPv4 lies in `::ffff:0:0/96`.
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(v4 bits: UInt32) {
        self.init(high: 0, low: Self.mapped | UInt64(bits))
    }

    /// Reads the text form of an address, with nothing around it; `nil` where it is none.
    package init?(_ text: String) {
        self.init(text: Array(text.utf8))
    }

    private static let mapped: UInt64 = 0xffff_0000_0000

    package var isIPv4: Bool { self.high == 0 && self.low >> 32 == Self.mapped >> 32 }

    /// This machine itself: `127.0.0.0/8` or `::1`.
    package var isLoopback: Bool {
        self.isIPv4 ? (self.low >> 24) & 0xff == 127 : self.high == 0 && self.low == 1
    }

    /// The addresses that one customer of a network has: the address in IPv4, the /64 in IPv6.
    package var network: IPAddress {
        self.isIPv4 ? self : IPAddress(high: self.high, low: 0)
    }
}

// MARK: Reading

extension IPAddress {
    private init?(text: [UInt8]) {
        let bytes = text[...]
        guard bytes.contains(UInt8(ascii: ":")) else {
            guard let bits = Self.v4(bytes) else { return nil }
            self.init(v4: bits)
            return
        }
        let zone = bytes.firstIndex(of: UInt8(ascii: "%"))
        if let zone, zone + 1 == bytes.endIndex { return nil }
        guard let groups = Self.groups(bytes[..<(zone ?? bytes.endIndex)]) else { return nil }
        self.init(high: Self.joined(groups[..<4]), low: Self.joined(groups[4...]))
    }

    /// RFC 4291 §2.2: eight groups, `::` once for one or more of zeros, the last two as IPv4 if need be.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        guard let gap = self.gap(in: text) else {
            guard let groups = self.list(text, mayEndInIPv4: true), groups.count == 8 else { return nil }
            return groups
        }
        guard let head = self.list(text[..<gap], mayEndInIPv4: false),
            let tail = self.list(text[(gap + 2)...], mayEndInIPv4: true),
            head.count + tail.count < 8
        else { return nil }
        return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func gap(in text: ArraySlice<UInt8>) -> Int? {
        text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    }

    private static func list(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 8, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let bits = self.v4(part) else { return nil }
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
            } else {
                guard let group = self.group(part) else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func group(_ text: ArraySlice<UInt8>) -> UInt16? {
        guard (1...4).contains(text.count) else { return nil }
        var value: UInt16 = 0
        for byte in text {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    /// Four decimal numbers; a leading zero is refused, since some read it as octal.
    private static func v4(_ text: ArraySlice<UInt8>) -> UInt32? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bits: UInt32 = 0
        for part in parts {
            guard let number = DecimalNumber.read(part, upTo: 255) else { return nil }
            bits = bits << 8 | UInt32(number)
        }
        return bits
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> UInt64 {
        groups.reduce(0) { $0 << 16 | UInt64($1) }
    }
}

// MARK: Writing

extension IPAddress: CustomStringConvertible {
    /// RFC 5952, the one canonical form; IPv4 with dots.
    package var description: String {
        if self.isIPv4 {
            return [24, 16, 8, 0].map { "\(self.low >> $0 & 0xff)" }.joined(separator: ".")
        }
        let groups = self.groups
        guard let zeros = Self.longestZeros(groups) else { return Self.text(groups[...]) }
        return Self.text(groups[..<zeros.lowerBound]) + "::" + Self.text(groups[zeros.upperBound...])
    }

    private var groups: [UInt16] {
        [self.high, self.low].flatMap { half in
            [48, 32, 16, 0].map { UInt16(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    private static func text(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first of the longest runs of zeros; one zero alone is no run.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest.count >= 2 ? longest : nil
    }
}

/// Decimal numbers as addresses and ports have them: digits alone, without a leading zero.
package enum DecimalNumber {
    /// - Returns: `nil` where the bytes are no such number, or one above `limit`.
    package static func read(_ digits: some Collection<UInt8>, upTo limit: Int) -> Int? {
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            if value > limit { return nil }
        }
        return value
    }
}
