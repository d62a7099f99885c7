import Foundation
package import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// One JSON value (RFC 8259), kept byte for byte: numbers keep all their digits, and keys keep their order.
public struct JSON: Sendable, Hashable, CustomStringConvertible {
    package let buffer: ByteBuffer

    package init(unchecked buffer: ByteBuffer) {
        self.buffer = buffer
    }

    var isObject: Bool { self.buffer.readableBytesView.first == UInt8(ascii: "{") }

    /// Encodes a value with `JSONEncoder`.
    ///
    /// - Throws: ``RoomClientError/Code/encodingFailed`` with the encoder's error as its cause.
    public init<Value: Encodable>(encoding value: Value) throws(RoomClientError) {
        if let json = value as? JSON {
            self = json
        } else if let text = value as? String {
            var buffer = ByteBuffer()
            buffer.reserveCapacity(text.utf8.count + 2)
            buffer.writeJSONString(text)
            self.init(unchecked: buffer)
        } else {
            do {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .withoutEscapingSlashes
                self.init(unchecked: ByteBuffer(bytes: try encoder.encode(value)))
            } catch {
                throw RoomClientError(
                    .encodingFailed,
                    "the value of type \(Value.self) cannot be written as JSON: \(ErrorReason.text(error))",
                    cause: error
                )
            }
        }
    }

    /// Parses a JSON text, such as `{"text":"hello"}`.
    ///
    /// - Throws: ``RoomClientError/Code/encodingFailed`` if the text is not exactly one JSON value of at most 64 levels.
    public init(_ text: String) throws(RoomClientError) {
        do throws(RequestError) {
            self.init(unchecked: try FrameDecoder(limits: FrameLimits()).value(ByteBuffer(string: text)))
        } catch {
            throw RoomClientError(.encodingFailed, error.text)
        }
    }

    /// The JSON text.
    public var description: String { String(buffer: self.buffer) }

    /// The JSON text in UTF-8.
    public var bytes: [UInt8] { Array(self.buffer.readableBytesView) }

    /// Decodes the value with `JSONDecoder`.
    ///
    /// - Parameter type: the type to decode.
    /// - Throws: ``RoomClientError/Code/decodingFailed`` with the decoder's error as its cause.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(RoomClientError) -> Value {
        if let json = self as? Value { return json }
        if type == String.self, let text = self.plainString as? Value { return text }
        do {
            return try JSONDecoder().decode(type, from: Data(self.buffer.readableBytesView))
        } catch {
            let text = "the JSON value cannot be read as \(type): \(ErrorReason.text(error))"
            throw RoomClientError(.decodingFailed, text, cause: error)
        }
    }

    /// The text of a JSON string; `nil` if the value is not a string.
    public var string: String? {
        guard self.buffer.readableBytesView.first == UInt8(ascii: "\"") else { return nil }
        // A lone surrogate is valid JSON, but not a Unicode text: nil.
        return self.plainString ?? (try? self.decode(as: String.self))
    }

    /// Most strings have no escapes, and need no decoder.
    private var plainString: String? {
        let bytes = self.buffer.readableBytesView
        guard bytes.first == UInt8(ascii: "\""), !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
