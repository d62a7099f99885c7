import NIOCore
import RoomModel

/// The values that several frames have.
extension BrokerFrameReader {
    func required<Value>(_ field: BrokerField, _ value: Value?, _ right: String) throws(BrokerFrameError) -> Value {
        guard let value else { throw self.missing(field, right) }
        return value
    }

    /// At most `Int64.max`, so that whoever counts on from it cannot overflow.
    func seq(_ field: BrokerField) throws(BrokerFrameError) -> UInt64? {
        let seq: Int64? = try self.integer(field, atLeast: 0)
        return seq.map { UInt64($0) }
    }

    func requiredSeq(_ field: BrokerField) throws(BrokerFrameError) -> UInt64 {
        try self.required(field, try self.seq(field), "an integer of 0 or more")
    }

    func requiredFlag(_ field: BrokerField) throws(BrokerFrameError) -> Bool {
        try self.required(field, try self.flag(field), "true or false")
    }

    func room() throws(BrokerFrameError) -> RoomName { RoomName(try self.requiredString(.room)) }

    /// A member or a sender, as its bytes.
    func object(_ field: BrokerField) throws(BrokerFrameError) -> ByteBuffer {
        let place = try self.required(field, self.value(field), "an object")
        return try self.object(at: place, field, "an object")
    }

    /// Members, or messages, each as its bytes.
    func objects(_ field: BrokerField) throws(BrokerFrameError) -> [ByteBuffer] {
        let place = try self.required(field, self.value(field), "an array of objects")
        guard self.bytes[place.lowerBound] == UInt8(ascii: "[") else {
            throw self.misfit(field, "an array of objects", place)
        }
        var objects: [ByteBuffer] = []
        var elements = JSONElements(self.bytes, at: place)
        while let element = elements.next() {
            objects.append(try self.object(at: element, field, "an array of objects"))
        }
        return objects
    }

    private func object(
        at place: Range<Int>,
        _ field: BrokerField,
        _ right: String
    ) throws(BrokerFrameError) -> ByteBuffer {
        guard self.bytes[place.lowerBound] == UInt8(ascii: "{") else { throw self.misfit(field, right, place) }
        return self.slice(place)
    }
}
