/// The times in the claims of a token, as backends write them: Unix seconds by RFC 7519, milliseconds as in some of
/// Scaledrone's samples, and the largest number of a language for "never".
package enum TokenTime {
    /// The last second of the year 9999, which stands for "never", too.
    package static let never = 253_402_300_799.0

    /// The largest numbers of JavaScript, Java, Swift and others; Java has a thousandth of its own, too.
    private static let largest = [
        Double((1 << 53) - 1), Double(Int64.max), Double(Int64.max / 1_000), Double(UInt64.max),
    ]

    /// Unix seconds; `nil` where the number can only be a mistake, such as microseconds.
    package static func seconds(_ number: Double) -> Double? {
        switch number {
        // As milliseconds it would be before September 2001.
        case ...1e12: max(min(number, Self.never), -Self.never)
        // As microseconds, too.
        case ...1e15: min(number / 1_000, Self.never)
        default: Self.largest.contains(number) ? Self.never : nil
        }
    }
}
