import NIOCore
import RoomClient
import RoomWire

/// A JSON object of the admin API that has been read.
protocol AdminDocument {
    init(json: ByteBuffer) throws(CommandFailure)
}

extension AdminDocument where Self: Decodable {
    init(json: ByteBuffer) throws(CommandFailure) {
        self = try AdminResponse.decode(Self.self, from: json)
    }
}

extension JSON {
    /// A field of an object as it was sent: `Decodable` would put its keys and digits in another order.
    static func field(_ name: StaticString, of object: ByteBuffer) -> JSON? {
        guard let range = JSONFields.range(of: name, in: object),
            let value = object.getSlice(at: object.readerIndex + range.lowerBound, length: range.count)
        else { return nil }
        // It throws for what is no JSON, and this has been read as some already.
        return try? JSON(String(buffer: value))
    }
}
