package import NIOCore
import RoomJSON
package import RoomModel

/// A value that is written as a string.
package protocol TextValue: FieldValue {
    /// `nil` where the text is no such value.
    init?(field text: String)

    var fieldText: String { get }
}

extension TextValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Self {
        let text = try found.text()
        guard let value = Self(field: text) else { throw found.misfit(Self.right(rule), excerpt: text) }
        if case .within(let bounds) = rule, !bounds.contains(text.utf8.count) {
            throw found.unfit(
                "has to have \(bounds.lowerBound) to \(bounds.upperBound) bytes, not \(text.utf8.count)"
            )
        }
        return value
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeJSONString(self.fieldText) }
}

extension TextValue where Self: RawRepresentable<String> {
    package init?(field text: String) { self.init(rawValue: text) }

    package var fieldText: String { self.rawValue }
}

/// A word of a fixed set.
package protocol WordValue: TextValue, RawRepresentable<String>, CaseIterable {}

extension WordValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .word(Self.allCases.map(\.rawValue)) }
}

extension String: TextValue {
    package init?(field text: String) { self = text }

    package var fieldText: String { self }
}

extension ClientID: TextValue {
    package init?(field text: String) { self.init(text) }

    package var fieldText: String { self.text }
}

extension AddressRange: TextValue {
    package static func right(_ rule: FieldRule) -> String {
        "an IP address, or a network such as 10.0.0.0/8 without host bits"
    }

    package init?(field text: String) { self.init(text) }

    package var fieldText: String { "\(self)" }
}

extension RoomName: TextValue {
    package static func right(_ rule: FieldRule) -> String { "the name of a room" }

    package init?(field text: String) { self.init(text) }

    package var fieldText: String { self.text }

    static let halfPair = RequestError(
        .roomNameInvalid,
        "a room name cannot have half of a surrogate pair"
    )

    /// With limits only a name that a room can have.
    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> RoomName {
        guard let limit = found.source.roomNameLimit else { return RoomName(try found.text()) }
        guard let text = JSONString.text(try found.content()) else { throw FieldFault(.refused(Self.halfPair)) }
        if var fault = RoomNameRule.fault(in: text, limit: limit) {
            // A reply about many rooms has to name the wrong one.
            if text.utf8.count <= limit { fault.room = RoomName(text) }
            throw FieldFault(.refused(fault))
        }
        return RoomName(text)
    }
}

extension UniqueID: TextValue {
    package static func right(_ rule: FieldRule) -> String { "a UUID" }

    package init?(field text: String) { self.init(text.utf8) }

    package var fieldText: String { self.description }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> UniqueID {
        if let id = UniqueID(try found.content()) { return id }
        let text = try found.text()
        guard let id = UniqueID(field: text) else { throw found.misfit("a UUID of 36 characters", excerpt: text) }
        return id
    }

    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("\"")
        buffer.writeID(self)
        buffer.writeStaticString("\"")
    }
}

extension Epoch: TextValue {
    package static func right(_ rule: FieldRule) -> String { "16 hexadecimal digits" }

    package init?(field text: String) { self.init(text) }

    package var fieldText: String { self.description }

    /// Without a string: a reply can have those of a thousand rooms.
    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("\"")
        for shift in stride(from: 60, through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: self.rawValue >> UInt64(shift)) & 0xf
            buffer.writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        buffer.writeStaticString("\"")
    }
}
