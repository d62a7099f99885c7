package import NIOCore
package import RoomModel

/// A word of a fixed set.
package protocol WordValue: FieldValue, RawRepresentable<String>, CaseIterable {}

extension WordValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .word(Self.allCases.map(\.rawValue)) }

    package static func right(_ rule: FieldRule) -> String {
        "one of \(Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"
    }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Self {
        let text = try found.text()
        guard let word = Self(rawValue: text) else { throw found.misfit(Self.right(rule), excerpt: text) }
        return word
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeString("\"\(self.rawValue)\"") }
}

extension RoomName: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func right(_ rule: FieldRule) -> String { "the name of a room" }

    /// With limits only a name that a room can have.
    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> RoomName {
        guard let limit = found.source.limits?.roomName else { return RoomName(try found.text()) }
        guard let text = JSONString.text(try found.content()) else {
            throw FieldFault(
                .refused(RequestError(.roomNameInvalid, "a room name cannot have half of a surrogate pair"))
            )
        }
        if var fault = RoomNameRule.fault(in: text, limit: limit) {
            // A reply about many rooms has to name the wrong one.
            if text.utf8.count <= limit { fault.room = RoomName(text) }
            throw FieldFault(.refused(fault))
        }
        return RoomName(text)
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeJSONString(self.text) }
}

extension ClientID: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func right(_ rule: FieldRule) -> String { String.right(rule) }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> ClientID {
        ClientID(try String.read(found, rule))
    }

    package func write(to buffer: inout ByteBuffer) { buffer.writeJSONString(self.text) }
}

extension UniqueID: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func right(_ rule: FieldRule) -> String { "a UUID" }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> UniqueID {
        if let id = UniqueID(try found.content()) { return id }
        let text = try found.text()
        guard let id = UniqueID(text.utf8) else { throw found.misfit("a UUID of 36 characters", excerpt: text) }
        return id
    }

    package func write(to buffer: inout ByteBuffer) {
        buffer.writeStaticString("\"")
        buffer.writeID(self)
        buffer.writeStaticString("\"")
    }
}

extension AddressRange: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func right(_ rule: FieldRule) -> String {
        "an IP address, or a network such as 10.0.0.0/8 without host bits"
    }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> AddressRange {
        let text = try found.text()
        guard let range = AddressRange(text) else { throw found.misfit(Self.right(rule), excerpt: text) }
        return range
    }

    package func write(to buffer: inout ByteBuffer) { "\(self)".write(to: &buffer) }
}

extension Epoch: FieldValue {
    package static func kind(_ rule: FieldRule) -> FieldKind { .text }

    package static func right(_ rule: FieldRule) -> String { "16 hexadecimal digits" }

    package static func read(_ found: FoundValue, _ rule: FieldRule) throws(FieldFault) -> Epoch {
        let text = try found.text()
        guard let epoch = Epoch(text) else { throw found.misfit(Self.right(rule), excerpt: text) }
        return epoch
    }

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
