/// Reads a JSON number that is an integer as it stands: digits alone, `1.0` and `1e3` are none.
enum JSONInteger<Number: FixedWidthInteger> {
    case value(Number)
    case tooSmall
    case tooLarge
    case notAnInteger
}

extension JSONInteger {
    /// The bytes are those of a checked JSON value of any kind.
    static func read(_ bytes: UnsafeRawBufferPointer, as type: Number.Type) -> JSONInteger<Number> {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return .notAnInteger }
        var number: Number = 0
        for byte in digits {
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let digit = Number(byte &- UInt8(ascii: "0"))
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return isNegative ? .tooSmall : .tooLarge }
            number = sum
        }
        return .value(number)
    }
}
