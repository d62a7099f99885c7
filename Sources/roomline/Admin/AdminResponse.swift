import Foundation
import NIOCore
import RoomClient
import RoomJSON

/// An answer of the admin API.
struct AdminResponse: Sendable {
    let status: Int
    let body: ByteBuffer

    /// The body as the document that it should be.
    func decode<Document: Decodable>(as type: Document.Type = Document.self) throws(CommandFailure) -> Document {
        try Self.decode(type, from: self.body)
    }

    static func decode<Document: Decodable>(
        _ type: Document.Type,
        from json: ByteBuffer
    ) throws(CommandFailure) -> Document {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: Data(json.readableBytesView))
        } catch {
            throw CommandFailure(
                code: .refused,
                text:
                    "this roomline does not understand the broker's answer; they may be of different versions. --json shows it"
            )
        }
    }
}

/// Why the admin API refuses something (RFC 9457).
struct AdminProblem: Decodable, Equatable, Sendable {
    let status: Int
    /// The stable word.
    let code: String
    /// Tells what was wrong and what would be right.
    let detail: String
}

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
