import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from a client as what requests are made of.
struct FrameReader: FieldReader {
    let source: ObjectSource
    let scan: FrameScan<FrameField>

    func fault(_ fault: FieldFault) -> RequestError { RequestError(fault) }
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
        if !self.scan.isRepeated(.callback) { error.callback = try? self.value(.callback) }
        let type = self.scan.isRepeated(.type) ? nil : try? self.type()
        error.isAboutHandshake = type == .handshake
        guard type == .publish else {
            error.room = nil
            return error
        }
        error.room = self.readableRoom
        if !self.scan.isRepeated(.messageID) { error.messageID = try? self.value(.messageID) }
        return error
    }

    private func type() throws(RequestError) -> FrameType {
        guard let found = self.found(.type), !found.isNull else {
            throw .missing("type", String.self, .like("the name of a frame"))
        }
        guard let type: FrameType = try self.word(found) else {
            let text: String = try self.required(.type)
            throw RequestError(.unknownType, "unknown type \"\(ErrorText.excerpt(text))\"")
        }
        return type
    }
}

/// The frame that comes more often than all others.
extension FrameReader {
    private func publish(callback: Int64?) throws(RequestError) -> Request {
        let room: RoomName = try self.required(.room)
        let message: ByteBuffer = try self.required(.message)
        let messageID: UniqueID? = try self.value(.messageID)
        let isEphemeral = try self.value(.ephemeral) ?? false
        let echoes = try self.value(.echo) ?? true
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

    /// The room of a frame with an error, so far as the client could recognise it.
    private var readableRoom: RoomName? {
        guard !self.scan.isRepeated(.room), let text: String = try? self.value(.room),
            let limit = self.source.limits?.roomName, text.utf8.count <= limit
        else { return nil }
        return RoomName(text)
    }
}
