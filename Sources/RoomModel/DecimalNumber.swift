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
