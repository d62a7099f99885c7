import NIOCore
import RoomModel
import RoomTestKit
import RoomWire

/// What a broker says.
extension ScriptedConnection {
    // MARK: Answers

    func welcome(
        _ handshake: Asked<HandshakeRequest>,
        clientID: String = "ann",
        resumeToken: String? = "token-1",
        resumed: Bool? = nil
    ) async throws {
        try await self.answer(handshake) { frame in
            frame.field("client_id", clientID)
            if let resumeToken { frame.field("resume_token", resumeToken) }
            if let resumed { frame.field("resumed", resumed) }
        }
    }

    func letIn(
        _ subscribe: Asked<SubscribeRequest>,
        epoch: UInt64 = 7,
        seq: UInt64 = 0,
        recovered: Bool? = nil,
        presence: Bool? = nil
    ) async throws {
        try await self.answer(subscribe) { frame in
            frame.field("epoch", Epoch(rawValue: epoch).description)
            frame.field("seq", seq)
            if let recovered { frame.field("recovered", recovered) }
            if let presence { frame.field("presence", presence) }
        }
    }

    func acknowledge(_ publish: Asked<PublishRequest>, seq: UInt64?, isDuplicate: Bool = false) async throws {
        var buffer = ByteBuffer()
        AcknowledgementWriter.write(
            callback: publish.callback ?? -1,
            seq: seq,
            isDuplicate: isDuplicate,
            stamp: self.stamp(.make()),
            into: &buffer
        )
        try await self.send(String(String(buffer: buffer).dropLast()))
    }

    /// A page of the history, each message a number: its `seq`.
    func answer(
        _ history: Asked<HistoryRequest>,
        seqs: [UInt64],
        lost: ClosedRange<UInt64>? = nil,
        more: Bool
    ) async throws {
        let messages = seqs.map { self.message($0, "\($0)", in: history.body.room.text) }
        try await self.answer(history) { frame in
            frame.field("messages", array: messages) { $1.writeString($0) }
            frame.field("more", more)
            if let lost { frame.lostMessages(lost) }
        }
    }

    /// The plain answer, or one with these fields.
    func answer<Body>(_ asked: Asked<Body>, _ fields: (inout FrameWriter) -> Void = { _ in }) async throws {
        try await self.send(
            self.frame { frame in
                frame.field("callback", asked.callback ?? -1)
                fields(&frame)
            }
        )
    }

    func refuse<Body>(_ asked: Asked<Body>, _ code: Code, retryAfter: Int? = nil) async throws {
        var error = RequestError(code, "refused", callback: asked.callback)
        error.retryAfterMilliseconds = retryAfter
        try await self.send(
            self.frame { frame in
                frame.error(error)
                if Body.self == HandshakeRequest.self { frame.field("client_id", "") }
            }
        )
    }

    // MARK: Rooms

    /// Joins: the reply to a subscribe is awaited and given.
    @discardableResult
    func letIn(
        epoch: UInt64 = 7,
        seq: UInt64 = 0,
        recovered: Bool? = nil,
        presence: Bool? = nil
    ) async throws -> Asked<SubscribeRequest> {
        let subscribe = try await self.subscribe()
        try await self.letIn(subscribe, epoch: epoch, seq: seq, recovered: recovered, presence: presence)
        return subscribe
    }

    /// Messages that are numbers, each its own `seq`.
    func deliver(_ seqs: ClosedRange<UInt64>, in room: String = "lobby") async throws {
        for seq in seqs { try await self.deliver(seq, "\(seq)", in: room) }
    }

    /// The same as `history_message` frames.
    func sendHistory(_ seqs: [UInt64], in room: String = "lobby") async throws {
        let writer = PublishWriter(room: RoomName(room))
        for (index, seq) in seqs.enumerated() {
            var (live, history) = (ByteBuffer(), ByteBuffer())
            let stamp = self.stamp(.make("bob"))
            let tail = writer.write(ByteBuffer(string: "\(seq)"), stamp: stamp, seq: seq, into: &live)
            guard let tail = live.getSlice(at: tail.lowerBound, length: tail.count) else { return }
            writer.writeHistory(tail, index: index, into: &history)
            try await self.send(String(buffer: history))
        }
    }

    /// - Parameter seq: `nil` for an ephemeral message.
    func deliver(_ seq: UInt64?, _ json: String, in room: String = "lobby") async throws {
        try await self.send(self.message(seq, json, in: room))
    }

    func tell(_ event: String, _ member: Sender = .make("bob"), in room: String = "lobby") async throws {
        try await self.send(
            self.frame(from: member) { $0.presence(type: event, room: RoomName(room), member: member) }
        )
    }

    /// - Parameter members: in the order of joining; the broker lists the newest first.
    func list(_ members: [Sender], count: Int? = nil, in room: String = "lobby") async throws {
        let list = MemberSnapshot(members.reversed(), count: count ?? members.count)
        try await self.send(self.frame { $0.members(room: RoomName(room), list) })
    }

    func gap(
        _ from: UInt64,
        _ through: UInt64,
        epoch: UInt64 = 7,
        _ reason: String,
        in room: String = "lobby"
    )
        async throws
    {
        let epoch = Epoch(rawValue: epoch)
        try await self.send(
            self.frame { frame in
                frame.gap(room: RoomName(room), epoch: epoch, from: from, through: through, reason: reason)
            }
        )
    }

    func remove(from room: String = "lobby", because reason: String, _ code: Code = .permissionDenied) async throws {
        try await self.send(
            self.frame { frame in
                frame.field("type", "removed")
                frame.field("room", room)
                frame.field("reason", reason)
                frame.field("code", code.rawValue)
            }
        )
    }

    // MARK: Moderation

    /// A redaction of the message whose id is that of ``message(_:_:in:)``.
    func redact(_ target: UInt64, id: UniqueID, at seq: UInt64, in room: String = "lobby") async throws {
        try await self.send(self.redaction(seq, of: target, id: id, in: room))
    }

    func redaction(_ seq: UInt64, of target: UInt64, id: UniqueID = .make(9), in room: String = "lobby") -> String {
        self.frame(from: .make("mod")) { frame in
            frame.field("type", "message_redacted")
            frame.field("room", room)
            frame.field("seq", seq)
            frame.field("target_seq", target)
            frame.field("target_id", id)
            frame.field("reason", "spam")
        }
    }

    /// What is left of a message that was taken away.
    func tombstone(_ seq: UInt64, in room: String = "lobby") -> String {
        self.frame(from: .make("bob")) { frame in
            frame.field("type", "publish")
            frame.field("room", room)
            frame.field("seq", seq)
            frame.field("client_id", "bob")
            frame.field("message", json: ByteBuffer(string: "null"))
            frame.field("redacted", true)
        }
    }

    func clear(epoch: UInt64, in room: String = "lobby") async throws {
        try await self.send(
            self.frame(from: .make("mod")) { frame in
                frame.field("type", "room_cleared")
                frame.field("room", room)
                frame.field("epoch", Epoch(rawValue: epoch).description)
                frame.field("seq", 0)
            }
        )
    }

    /// - Parameter room: `nil`: to the whole channel.
    func notify(_ text: String, code: String? = nil, seconds: Int? = nil, in room: String? = "lobby") async throws {
        try await self.send(
            self.frame(from: .make("mod")) { frame in
                frame.field("type", "notice")
                if let room { frame.field("room", room) }
                frame.field("text", text)
                if let code { frame.field("code", code) }
                if let seconds { frame.field("seconds", seconds) }
            }
        )
    }

    func mute(_ isMuted: Bool = true, reason: String? = nil, until: Int? = nil, in room: String? = "lobby") async throws
    {
        try await self.send(
            self.frame { frame in
                frame.field("type", isMuted ? "muted" : "unmuted")
                if let room { frame.field("room", room) }
                if let reason { frame.field("reason", reason) }
                if let until { frame.field("until", until) }
            }
        )
    }

    // MARK: The connection

    func goodbye(_ code: Code, retryAfter: Int? = nil) async throws {
        try await self.send(
            self.frame { $0.goodbye(code, reason: "because", retryAfterMilliseconds: retryAfter) }
        )
    }

    func ping() async throws {
        try await self.send(self.frame { $0.field("type", "ping") })
    }

    func pong() async throws {
        try await self.send(self.frame { $0.field("type", "pong") })
    }

    func message(_ seq: UInt64?, _ json: String, in room: String = "lobby") -> String {
        var buffer = ByteBuffer()
        _ = PublishWriter(room: RoomName(room)).write(
            ByteBuffer(string: json),
            stamp: self.stamp(.make("bob")),
            seq: seq,
            into: &buffer
        )
        return String(String(buffer: buffer).dropLast())
    }
}
