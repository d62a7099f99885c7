import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// The body of a publish.
enum RESTMessage {
    /// The JSON value that the body is; where it is none, the string that it is.
    ///
    /// - Throws: `RequestError` with `invalid_utf8`, `nesting_too_deep`.
    static func value(of body: ByteBuffer, limits: FrameLimits) throws(RequestError) -> ByteBuffer {
        do throws(RequestError) {
            return try FrameDecoder(limits: limits).value(body)
        } catch {
            guard error.code == .malformedJSON else { throw error }
        }
        guard let text = String(validating: body.readableBytesView, as: UTF8.self) else {
            throw RequestError(.invalidUTF8, "the body is neither JSON nor text in UTF-8")
        }
        var string = ByteBuffer()
        string.writeJSONString(text)
        return string
    }
}
