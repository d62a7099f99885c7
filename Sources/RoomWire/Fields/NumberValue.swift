package import NIOCore
import RoomJSON

/// A whole number as a field's value.
package protocol NumberValue: FieldValue, FixedWidthInteger {}

extension Int: NumberValue {}
extension Int64: NumberValue {}
extension UInt64: NumberValue {}

extension NumberValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .integer }

    package static func right(_ rule: FieldRule) -> String {
        switch rule {
        case .within(let bounds): "an integer from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .atLeast(let least): "an integer of \(least) or more"
        case .countable: "an integer of 0 or more"
        default: Self.isSigned ? "an integer" : "an integer of 0 or more"
        }
    }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Self {
        let (least, most) = Self.bounds(rule)
        guard let integer = JSONInteger(found.bytes) else { throw found.misfit(Self.right(rule)) }
        let number = Self(integer)
        if let number, number >= least, number <= most { return number }
        let isTooLarge = !integer.isNegative && number.map { $0 > most } ?? true
        if case .within = rule { throw found.misfit(Self.right(rule)) }
        throw found.misfit(isTooLarge ? "an integer of \(most) at most" : Self.right(rule))
    }

    private static func bounds(_ rule: FieldRule) -> (least: Self, most: Self) {
        switch rule {
        case .within(let bounds): (Self(clamping: bounds.lowerBound), Self(clamping: bounds.upperBound))
        case .atLeast(let least): (Self(clamping: least), .max)
        case .countable: (0, Self(clamping: Int64.max))
        default: (.min, .max)
        }
    }

    package func write(to buffer: inout ByteBuffer) {
        if let value = Int64(exactly: self) {
            buffer.writeDecimal(value)
        } else {
            buffer.writeString(String(self))
        }
    }
}

extension Double: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .number }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Double {
        let isNumber = found.first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= found.first
        guard isNumber, let number = Double(String(decoding: found.bytes, as: UTF8.self)) else {
            throw found.misfit(Self.right(rule))
        }
        return number
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeString("\(self)") }
}
