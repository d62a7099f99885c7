import Foundation
package import NIOCore
public import RoomClient
package import RoomDocuments
import RoomJSON
import RoomModel
package import RoomWire

/// An answer of the admin API.
public struct AdminResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The body, byte for byte; empty with the status 204.
    package let body: ByteBuffer

    /// Whether the request was carried out.
    public var isSuccess: Bool { (200..<300).contains(self.status) }

    /// The body as the broker has written it.
    ///
    /// - Throws: ``AdminError/Code/unexpectedAnswer`` if it is not JSON.
    public func json() throws(AdminError) -> JSON {
        do throws(RoomClientError) {
            return try JSON(String(buffer: self.body))
        } catch {
            throw AdminError(.unexpectedAnswer, "the answer is not JSON: \(error.message)", cause: error)
        }
    }

    /// The body as a value of a type of the app. Names in snake_case become camelCase.
    ///
    /// - Throws: ``AdminError/Code/unexpectedAnswer`` if the body is none.
    public func decode<Document: Decodable>(as type: Document.Type = Document.self) throws(AdminError) -> Document {
        try Self.decode(type, from: self.body)
    }

    static let unexpected =
        "the broker's answer is not as this version expects it; they may be of different versions"

    package static func decode<Document: Decodable>(
        _ type: Document.Type,
        from json: ByteBuffer
    ) throws(AdminError) -> Document {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: Data(json.readableBytesView))
        } catch {
            throw AdminError(
                .unexpectedAnswer,
                "\(Self.unexpected) (\(ErrorReason.text(error)))",
                cause: error
            )
        }
    }
}

extension AdminDocument {
    /// - Parameter names: those of the type.
    package init(json: ByteBuffer, names: WordTable = Self.names) throws(AdminError) {
        do throws(FieldFault) {
            try self.init(reading: json, names: names)
        } catch {
            let text = RequestError(error).text
            throw AdminError(.unexpectedAnswer, "\(AdminResponse.unexpected) (\(text))", cause: RequestError(error))
        }
    }
}

extension JSON {
    /// A field of an object as it was sent: `Decodable` would put its keys and digits in another order.
    static func field(_ name: StaticString, of object: ByteBuffer) -> JSON? {
        guard let range = JSONFields.range(of: name, in: object),
            let value = object.getSlice(at: object.readerIndex + range.lowerBound, length: range.count)
        else { return nil }
        // It throws for what is not JSON, and this has been read as some already.
        return try? JSON(String(buffer: value))
    }
}
