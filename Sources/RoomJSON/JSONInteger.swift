/// Reads a JSON number that is an integer as it stands: digits alone, `1.0` and `1e3` are none.
package enum JSONInteger<Number: FixedWidthInteger> {
    case value(Number)
    case tooSmall
    case tooLarge
    case notAnInteger
}

extension JSONInteger {
    /// The bytes are those of a checked JSON value of any kind. Inlinable, so that it is compiled for each type of number:
    /// each frame has some.
    @inlinable package static func read(_ bytes: UnsafeRawBufferPointer, as type: Number.Type) -> JSONInteger<Number> {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard start < bytes.count else { return .notAnInteger }
        var number: Number = 0
        var isTooFar = false
        for index in start..<bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return .notAnInteger }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative
                ? product.subtractingReportingOverflow(Number(digit))
                : product.addingReportingOverflow(Number(digit))
            isTooFar = isTooFar || overflow || carry
            number = sum
        }
        if isTooFar { return isNegative ? .tooSmall : .tooLarge }
        return .value(number)
    }
}
