package import NIOCore
import RoomJSON
package import RoomModel

/// Turns one line, or one WebSocket message, into what the client asks (protocol §1 and §2).
///
/// The line is read once. A `message` stays a slice of it, byte for byte; names are copied out. An error carries the
/// `callback` wherever in the frame it stands, and that about a publish its room and `message_id`.
package struct FrameDecoder: Sendable {
    package let limits: FrameLimits

    package init(limits: FrameLimits) {
        self.limits = limits
    }

    package func decode(_ line: ByteBuffer) throws(RequestError) -> ClientFrame {
        try line.withUnsafeReadableBytes { bytes throws(RequestError) in
            try FieldScan.reading(FrameType.fields) { scan throws(RequestError) in
                do throws(JSONFault) {
                    try scan.read(bytes, nestingLimit: self.limits.nesting)
                } catch {
                    // the first character is the fault: this was not meant to be JSON
                    let isText = bytes.prefix(error.offset).allSatisfy { $0 <= UInt8(ascii: " ") }
                    throw error.kind == .malformed && isText ? Self.noObject : self.requestError(error, in: bytes)
                }
                return try self.frame(FrameReader(line: line, bytes: bytes, scan: scan, limits: self.limits))
            }
        }
    }

    /// Checks bytes that have to be one JSON value of any kind, such as a REST body, and gives them out as they may
    /// stand in a frame: without the blanks around them and without line breaks.
    package func value(_ bytes: ByteBuffer) throws(RequestError) -> ByteBuffer {
        let place = try bytes.withUnsafeReadableBytes { bytes throws(RequestError) in
            do throws(JSONFault) {
                return try JSONScanner.check(bytes, nestingLimit: self.limits.nesting)
            } catch {
                throw self.requestError(error, in: bytes)
            }
        }
        return bytes.getSlice(at: bytes.readerIndex + place.lowerBound, length: place.count)?.withoutLineBreaks()
            ?? bytes
    }

    private func frame(_ reader: FrameReader) throws(RequestError) -> ClientFrame {
        do throws(RequestError) {
            if let concern = reader.scan.concern { throw self.requestError(concern, in: reader.bytes) }
            if let field = reader.scan.duplicate {
                throw RequestError(.duplicateField, "\"\(field)\" is given twice; give it once")
            }
            guard reader.bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{") else {
                throw Self.noObject
            }
            let callback: Int64? = try reader.integer(.callback)
            return ClientFrame(callback: callback, request: try reader.request(callback: callback))
        } catch {
            throw reader.naming(error)
        }
    }

    private static let noObject = RequestError(
        .malformedJSON,
        "a frame is a JSON object and begins with {; for plain text, open another connection"
    )

    private func requestError(_ fault: JSONFault, in bytes: UnsafeRawBufferPointer) -> RequestError {
        RequestError(fault.code, fault.text(in: bytes, nestingLimit: self.limits.nesting))
    }
}
