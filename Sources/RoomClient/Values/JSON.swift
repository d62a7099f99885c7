import Foundation
import NIOCore
import RoomModel
import RoomWire

/// One JSON value, kept byte for byte as it was sent: numbers with all their digits, keys in their order.
public struct JSON: Sendable, Hashable, CustomStringConvertible {
    let buffer: ByteBuffer

    init(unchecked buffer: ByteBuffer) {
        self.buffer = buffer
    }

    /// The JSON of any `Encodable` value, as `JSONEncoder` writes it.
    ///
    /// - Throws: ``RoomClientError/Code/encodingFailed``.
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
                    "the \(Value.self) could not be written as JSON",
                    cause: error
                )
            }
        }
    }

    /// The value that a JSON text stands for, such as `{"text":"hello"}`.
    ///
    /// - Throws: ``RoomClientError/Code/encodingFailed`` where the text is not exactly one JSON value (RFC 8259) of at most
    ///   64 levels.
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

    /// The value as another type, as `JSONDecoder` reads it.
    ///
    /// - Throws: ``RoomClientError/Code/decodingFailed`` with `JSONDecoder`'s error as its cause.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self) throws(RoomClientError) -> Value {
        if let json = self as? Value { return json }
        if type == String.self, let text = self.plainString as? Value { return text }
        do {
            return try JSONDecoder().decode(type, from: Data(self.buffer.readableBytesView))
        } catch {
            throw RoomClientError(.decodingFailed, "the JSON is no \(type)", cause: error)
        }
    }

    /// The text of a JSON string; `nil` where the value is another one.
    public var string: String? {
        guard self.buffer.readableBytesView.first == UInt8(ascii: "\"") else { return nil }
        // A lone surrogate is JSON and no Unicode text: nil.
        return self.plainString ?? (try? self.decode(as: String.self))
    }

    /// Strings without escapes, which most are, need no decoder.
    private var plainString: String? {
        let bytes = self.buffer.readableBytesView
        guard bytes.first == UInt8(ascii: "\""), !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
