import NIOCore
import RoomModel
import RoomWire

/// Reads who somebody is out of a token's `data`, by the rule that the broker has.
enum UserName {
    static func of(_ data: JSON) -> String? {
        if let name = Self.text(data.buffer) { return Self.checked(name) }
        let places = [
            JSONFields.range(of: "id", in: data.buffer), JSONFields.range(of: "user_id", in: data.buffer),
            JSONFields.range(of: "sub", in: data.buffer),
        ]
        let names = places.lazy.compactMap { place in
            place.flatMap { data.buffer.getSlice(at: data.buffer.readerIndex + $0.lowerBound, length: $0.count) }
                .flatMap(Self.text)
        }
        return names.first.flatMap(Self.checked)
    }

    /// The text of a string, and a number as it is written.
    private static func text(_ json: ByteBuffer) -> String? {
        let value = JSON(unchecked: json)
        if let string = value.string { return string }
        let first = json.readableBytesView.first ?? 0
        let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return isNumber ? String(buffer: json) : nil
    }

    private static func checked(_ name: String) -> String? {
        name.isEmpty || name.utf8.count > SanctionSubject.longestUser ? nil : name
    }
}
