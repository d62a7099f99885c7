import NIOCore
import RoomModel

/// Reads the fields of one frame from a client as what requests are made of.
struct FrameReader: FieldReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan<FrameField>
    let limits: FrameLimits

    func fault(_ code: Code, _ text: String) -> RequestError { RequestError(code, text) }

    /// A JSON value of any kind as its bytes: a slice of the line, or of a copy where line breaks had to go.
    func json(_ place: Range<Int>, _ field: FrameField, limit: Int) throws(RequestError) -> ByteBuffer {
        guard place.count <= limit else {
            throw RequestError(.messageTooLarge, "\"\(field.name)\" has \(place.count) bytes, the limit is \(limit)")
        }
        let value = self.slice(place)
        return self.scan.hasLineBreak ? value.withoutLineBreaks() : value
    }
}
