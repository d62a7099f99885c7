/// A JSON number that is an integer as it stands: digits alone, `1.0` and `1e3` are none.
package struct JSONInteger: Equatable {
    package let isNegative: Bool
    /// `nil`: more than 64 bits hold.
    package let magnitude: UInt64?

    /// - Parameter bytes: those of a checked JSON value of any kind; `nil` where it is not an integer.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return nil }
        self.isNegative = bytes.count > 1 && bytes[0] == UInt8(ascii: "-")
        var index = self.isNegative ? 1 : 0
        var number: UInt64 = 0
        var isTooLarge = false
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            isTooLarge = isTooLarge || overflow || carry
            number = sum
            index += 1
        }
        self.magnitude = isTooLarge ? nil : number
    }
}
