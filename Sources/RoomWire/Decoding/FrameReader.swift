import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from a client as what requests are made of.
struct FrameReader: FieldReader {
    typealias Field = FrameField

    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FieldScan
    let limits: FrameLimits

    func fault(_ code: Code, _ text: String) -> RequestError { RequestError(code, text) }

    /// The fields of the frame, as they are described.
    private func body<Body: Frame>(_: Body.Type = Body.self) throws(RequestError) -> Body {
        do throws(FieldFault) {
            return try ObjectReader.read(from: self.source, self.scan)
        } catch {
            throw RequestError(error)
        }
    }

    private var source: ObjectSource {
        ObjectSource(
            text: self.line,
            bytes: self.bytes,
            names: FrameType.fields,
            roomNameLimit: self.limits.roomName,
            roomLimit: self.limits.roomsPerFrame,
            hasLineBreak: self.scan.hasLineBreak
        )
    }

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
        case .publish: return try self.publish(callback: callback)
        case .ping: return .ping
        case .pong: return .pong
        case .rooms: return .rooms
        case .subscribe: return .subscribe(try self.body())
        case .unsubscribe: return .unsubscribe(try self.body())
        case .members: return .members(try self.body(MembersRequest.self).room)
        case .history: return .history(try self.body())
        case .moderate: return .moderate(try self.body())
        case .authenticate: return .authenticate(token: try self.body(AuthenticateRequest.self).token)
        // Copies: they live as long as the session, and a slice would hold the read buffer for that time.
        case .update: return .update(clientData: try self.body(UpdateRequest.self).clientData.compactCopy())
        case .handshake:
            var request = try self.body(HandshakeRequest.self)
            request.clientData = request.clientData?.compactCopy()
            return .handshake(request)
        }
    }

    /// The error with what tells the client which of its frames it is about. A field that cannot be read is left out:
    /// then it is itself at fault, and the error's text says so.
    func naming(_ error: RequestError) -> RequestError {
        var error = error
        if !self.scan.isRepeated(FrameField.callback) { error.callback = try? self.integer(.callback) }
        let type = self.scan.isRepeated(FrameField.type) ? nil : try? self.type()
        error.isAboutHandshake = type == .handshake
        guard type == .publish else {
            error.room = nil
            return error
        }
        error.room = self.readableRoom
        if !self.scan.isRepeated(FrameField.messageID) { error.messageID = try? self.uniqueID(.messageID) }
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

/// The frame that comes more often than all others.
extension FrameReader {
    private func publish(callback: Int64?) throws(RequestError) -> Request {
        let room = try self.room()
        guard let place = self.scan[FrameField.message] else { throw self.missing(.message, "a JSON value") }
        let message = self.json(place)
        let messageID = try self.uniqueID(.messageID)
        let isEphemeral = try self.flag(.ephemeral) ?? false
        let echoes = try self.flag(.echo) ?? true
        if isEphemeral, messageID != nil {
            throw RequestError(.invalidField, "\"ephemeral\" cannot go with \"message_id\": nothing is stored")
        }
        if !echoes, callback == nil {
            throw RequestError(.invalidField, "\"echo\":false needs a \"callback\": the reply contains the seq")
        }
        return .publish(
            PublishRequest(
                room: room,
                message: message,
                messageID: messageID,
                isEphemeral: isEphemeral,
                echoes: echoes
            )
        )
    }

    private func room() throws(RequestError) -> RoomName {
        guard let place = self.value(.room) else { throw self.missing(.room, RoomName.right(.any)) }
        guard let text = JSONString.text(try self.content(at: place, .room)) else { throw RoomName.halfPair }
        if let fault = RoomNameRule.fault(in: text, limit: self.limits.roomName) { throw fault }
        return RoomName(text)
    }

    /// The room of a frame with an error, so far as the client could recognise it.
    private var readableRoom: RoomName? {
        guard !self.scan.isRepeated(FrameField.room), let place = self.value(.room),
            let text = try? self.text(at: place, .room),
            text.utf8.count <= self.limits.roomName
        else { return nil }
        return RoomName(text)
    }
}
