package import NIOCore
import RoomCore
import RoomJSON
package import RoomModel
import RoomWire

/// The parts that only an event stream has (WHATWG HTML §9.2): its beginning, marks, comments, and the end of one that
/// is for one room.
extension Connection {
    /// Tells the client by which secret it sends frames; from now on the stream is answered.
    ///
    /// - Parameter head: of the HTTP response.
    package func beginEvents(secret: String, head: ByteBuffer) {
        self.writer.raw { bytes in
            bytes.writeImmutableBuffer(head)
            bytes.writeStaticString("event: session\ndata: {\"session\":")
            bytes.writeJSONString(secret)
            bytes.writeStaticString("}\n\n")
        }
        self.shard.enqueue(self)
    }

    /// Opens the session of a stream that is for one room, and joins the room.
    ///
    /// - Parameter head: of the HTTP response, asked for where there is a stream.
    /// - Returns: why there is no such stream; nothing is written then.
    package func beginEvents(_ stream: EventStreamRoom, head: () -> ByteBuffer) -> RequestError? {
        let channel = self.shard.channels[stream.handshake.channel]
        if let error = self.refusal(of: stream.handshake, channel) { return error }
        var attempt = Handshake(roomLimit: 1)
        let action = attempt.received(
            HandshakeFrame(request: stream.handshake, callback: nil),
            channel: channel,
            newID: self.shard.newClientID(),
            address: self.address,
            now: self.shard.unixSeconds,
            activeSanctions: { self.activeSanctions(of: $0, $1, in: channel) }
        )
        switch action {
        case .welcome(let welcome, var session):
            if let error = session.lackOfToken ?? session.refusal(ofJoining: stream.room) { return error }
            self.writer.raw { bytes in
                bytes.writeImmutableBuffer(head())
                EventWriter.writeRetry(milliseconds: Self.eventRetryMilliseconds, into: &bytes)
            }
            self.roomOfStream = stream.room
            self.open(session, welcome, nil)
            self.member?.subscribe(stream.subscribe, callback: 0)
            self.shard.enqueue(self)
            return nil
        case .refuse(let error):
            self.loginFailed(error)
            return error
        case .resume, .wait, .none: return Handshake.required
        }
    }

    /// When a browser comes back to a stream that has ended.
    private static let eventRetryMilliseconds = 2_000

    /// All that the client had to get of its room up to here, it has got, or was told that it does not get it. No place
    /// can be told of a stream that is for more than one room.
    func marks(_ epoch: Epoch, _ seq: UInt64) {
        guard self.roomOfStream != nil else { return }
        self.writer.raw { EventWriter.writeMark(epoch, seq: seq, into: &$0) }
        self.shard.enqueue(self)
    }

    /// The client comes back by itself: not earlier than this.
    func asksToWait(milliseconds: Int) {
        guard self.wireFormat == .events else { return }
        self.writer.raw { EventWriter.writeRetry(milliseconds: milliseconds, into: &$0) }
    }

    func eventPing() {
        self.writer.raw { EventWriter.writePing(into: &$0) }
        self.share.spend(Work.reply(bytes: 0))
        self.shard.enqueue(self)
    }

    /// The client is not in the room, so that a stream which is for it alone has nothing more to tell.
    func endStream(_ error: RequestError) {
        guard self.roomOfStream != nil else { return }
        self.goodbye(error.code, reason: error.text, retryAfterMilliseconds: error.retryAfterMilliseconds)
    }
}
