import NIOCore
import RoomModel
import RoomWire

/// A frame that the broker takes is the same when the SDK writes it again; what the broker makes of it, the SDK and an
/// import can read.
enum ClientFramesFuzz: FuzzTarget {
    static let name = "client-frames"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        var limits = FrameLimits()
        (limits.nesting, limits.roomsPerFrame) = (16, 8)
        let decoder = FrameDecoder(limits: limits)
        let result = Result { () throws(RequestError) in try decoder.decode(bytes.buffer) }
        let again = Result { () throws(RequestError) in try decoder.decode(ByteBuffer(bytes: bytes)) }
        try demand(result == again, "it depends on where the bytes are")
        switch result {
        case .success(let frame):
            if let line = self.written(frame) {
                let copy = try decoder.decode(line)
                try demand(copy == frame, "\(frame) is, written again, \(copy)")
            }
            if case .publish(let publish) = frame.request { try self.checkDelivery(publish) }
            try self.checkMember(frame.request)
        case .failure(let error): try self.checkError(error)
        }
    }

    /// The frame as the SDK writes it, without its newline; `nil` where the SDK has no such frame.
    private static func written(_ frame: ClientFrame) -> ByteBuffer? {
        var line = ByteBuffer()
        let callback = frame.callback
        switch frame.request {
        case .handshake(let request): ClientFrameWriter.write(request, callback: callback, into: &line)
        case .authenticate(let token):
            ClientFrameWriter.write(AuthenticateRequest(token: token), callback: callback, into: &line)
        case .subscribe(let request):
            guard case .one = request.rooms else { return nil }
            ClientFrameWriter.write(request, callback: callback, into: &line)
        case .unsubscribe(let rooms):
            guard case .one = rooms else { return nil }
            ClientFrameWriter.write(rooms, callback: callback, into: &line)
        case .publish(let request): ClientFrameWriter.publish(request, callback: callback, into: &line)
        case .update(let data):
            ClientFrameWriter.write(UpdateRequest(clientData: data), callback: callback, into: &line)
        case .history(let request): ClientFrameWriter.write(request, callback: callback, into: &line)
        case .moderate(let request): ClientFrameWriter.write(request, callback: callback, into: &line)
        case .ping: ClientFrameWriter.ping(callback: callback, into: &line)
        case .members, .rooms, .pong: return nil
        }
        return line.getSlice(at: line.readerIndex, length: line.readableBytes - 1)
    }

    private static func checkDelivery(_ publish: PublishRequest) throws {
        let id = UniqueID(milliseconds: 1_700_000_000_123, sequence: 5, random: 0x1234_5678_9abc_def0)
        let sender = Sender.member(ClientID("c1"), clientData: publish.message)
        let writer = PublishWriter(room: publish.room)
        var line = ByteBuffer()
        let tail = writer.write(publish.message, stamp: Stamp(id: id, sender: sender), seq: 7, into: &line)
        line.moveWriterIndex(to: line.writerIndex - 1)
        try demand(!line.readableBytesView.contains(UInt8(ascii: "\n")), "the frame has a line break")
        guard case .entry(.message(let message)) = try BrokerFrameDecoder().decode(line) else {
            throw BrokenInvariant(description: "the SDK takes a publish for something else")
        }
        try demand(
            message.room == publish.room && message.message == publish.message && message.id == id
                && message.seq == 7 && message.sender == sender.json,
            "the SDK reads \(message)"
        )
        try demand(SenderObject(message.sender).clientData == publish.message, "the sender has other data")
        let entry = try ExportedEntry(line, limits: FrameLimits())
        try demand(entry.tail == line.getSlice(at: tail.lowerBound, length: tail.count), "an import has another tail")
        try TextLinesFuzz.checkLine { TextLineWriter.message(publish.message, from: sender, into: &$0) }
    }

    private static func checkMember(_ request: Request) throws {
        let data: ByteBuffer? =
            switch request {
            case .handshake(let handshake): handshake.clientData
            case .update(let data): data
            default: nil
            }
        guard let data else { return }
        let sender = Sender.member(ClientID("c1"), clientData: data)
        try demand(SenderObject(sender.json).clientData == data, "the member has other data")
        if let name = TextLineWriter.name(of: sender) { try TextLinesFuzz.checkName(name) }
    }

    private static func checkError(_ error: RequestError) throws {
        try demand(error.text.isOneSafeLine && error.text.utf8.count < 500, "the text of an error: \(error.text)")
        var line = ByteBuffer()
        FrameWriter.write(into: &line, stamp: Stamp(id: UniqueID(high: 1, low: 2), sender: .broker)) { $0.error(error) }
        line.moveWriterIndex(to: line.writerIndex - 1)
        switch try BrokerFrameDecoder().decode(line) {
        case .reply(let reply):
            try demand(reply.callback == error.callback, "the reply has another callback")
            try demand(reply.error?.text == error.text, "the reply has another error")
        case .failure(let failure):
            try demand(error.callback == nil && failure.text == error.text, "another error")
            try demand(
                failure.room == error.room && failure.messageID == error.messageID,
                "the error names something else"
            )
        default: throw BrokenInvariant(description: "an error is none")
        }
    }
}
