import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from a client as what requests are made of.
struct FrameReader: FieldReader {
    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FrameScan<FrameField>
    let limits: FrameLimits

    func fault(_ code: Code, _ text: String) -> RequestError { RequestError(code, text) }

    /// A JSON value of any kind as its bytes: a slice of the line, or of a copy where line breaks had to go.
    func json(_ place: Range<Int>) -> ByteBuffer {
        let value = self.slice(place)
        return self.scan.hasLineBreak ? value.withoutLineBreaks() : value
    }
}

/// The frame as a whole: what it asks, and what an error about it has to name.
extension FrameReader {
    func request(callback: Int64?) throws(RequestError) -> Request {
        switch try self.type() {
        case .publish: try self.publish(callback: callback)
        case .ping: .ping
        case .pong: .pong
        case .subscribe: try self.subscribe()
        case .unsubscribe: .unsubscribe(try self.roomSelection())
        case .handshake: try self.handshake()
        case .authenticate: .authenticate(token: try self.requiredString(.token))
        case .update: try self.update()
        case .members: .members(try self.room())
        case .history: try self.history()
        case .rooms: .rooms
        case .moderate: try self.moderate()
        }
    }

    /// The error with what tells the client which of its frames it is about. A field that cannot be read is left out:
    /// then it is itself at fault, and the error's text says so.
    func naming(_ error: RequestError) -> RequestError {
        var error = error
        if !self.scan.isRepeated(.callback) { error.callback = try? self.integer(.callback) }
        let type = self.scan.isRepeated(.type) ? nil : try? self.type()
        error.isAboutHandshake = type == .handshake
        guard type == .publish else {
            error.room = nil
            return error
        }
        error.room = self.readableRoom
        if !self.scan.isRepeated(.messageID) { error.messageID = try? self.uniqueID(.messageID) }
        return error
    }

    private func type() throws(RequestError) -> FrameType {
        guard let place = self.value(.type) else { throw self.missing(.type, "the name of a frame") }
        guard let type: FrameType = try self.word(at: place, .type) else {
            throw RequestError(.unknownType, "unknown type \"\(ErrorText.excerpt(try self.text(at: place, .type)))\"")
        }
        return type
    }
}
