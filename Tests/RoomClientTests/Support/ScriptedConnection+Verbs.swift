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
        let reply = HandshakeReply(clientID: clientID, resumeToken: resumeToken, resumed: resumed)
        try await self.answer(handshake) { $0.reply(to: $1, reply) }
    }

    func letIn(
        _ subscribe: Asked<SubscribeRequest>,
        epoch: UInt64 = 7,
        seq: UInt64 = 0,
        recovered: Bool? = nil,
        presence: Bool? = nil
    ) async throws {
        let epoch = Epoch(rawValue: epoch)
        let reply = SubscribeReply(epoch: epoch, seq: seq, recovered: recovered, presence: presence)
        try await self.answer(subscribe) { $0.reply(to: $1, reply) }
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
        try await self.answer(history, with: messages, lost: lost, more: more)
    }

    /// - Parameter entries: frames.
    func answer(
        _ history: Asked<HistoryRequest>,
        with entries: [String],
        lost: ClosedRange<UInt64>? = nil,
        more: Bool
    ) async throws {
        try await self.answer(history) { frame, callback in
            frame.reply(to: callback)
            frame.field("messages", entries.map { ByteBuffer(string: $0) })
            frame.field("more", more)
            guard let lost else { return }
            let gap = #"{"from_seq":\#(lost.lowerBound),"to_seq":\#(lost.upperBound),"reason":"lost"}"#
            frame.field("gap", ByteBuffer(string: gap))
        }
    }

    /// The plain answer, or one with these fields.
    func answer<Body>(
        _ asked: Asked<Body>,
        _ fields: (inout FrameWriter, Int64) -> Void = { $0.reply(to: $1) }
    ) async throws {
        try await self.send(self.frame { fields(&$0, asked.callback ?? -1) })
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

    func tell(
        _ kind: PresenceEvent.Kind,
        _ member: Sender = .make("bob"),
        in room: String = "lobby"
    ) async throws {
        let event = PresenceEvent(room: RoomName(room), kind: kind, member: member.json)
        try await self.send(self.frame(from: member) { $0.frame(event) })
    }

    /// - Parameter members: in the order of joining; the broker lists the newest first.
    func list(_ members: [Sender], count: Int? = nil, in room: String = "lobby") async throws {
        let list = MemberSnapshot(members.reversed(), count: count ?? members.count)
        try await self.send(self.frame { $0.frame(ObservableMembers(room: RoomName(room), list)) })
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
        let epoch = Epoch(rawValue: epoch).description
        let gap = GapEvent(room: RoomName(room), epoch: epoch, from: from, through: through, reason: reason)
        try await self.send(self.frame { $0.frame(gap) })
    }

    func remove(from room: String = "lobby", because reason: String, _ code: Code = .permissionDenied) async throws {
        let removal = Removal(room: RoomName(room), reason: reason, code: code.rawValue)
        try await self.send(self.frame { $0.frame(removal) })
    }

    // MARK: Moderation

    /// A redaction of the message whose id is that of ``message(_:_:in:)``.
    func redact(_ target: UInt64, id: UniqueID, at seq: UInt64, in room: String = "lobby") async throws {
        try await self.send(self.redaction(seq, of: target, id: id, in: room))
    }

    func redaction(_ seq: UInt64, of target: UInt64, id: UniqueID = .make(9), in room: String = "lobby") -> String {
        self.frame(from: .make("mod")) { frame in
            frame.type(BrokerFrameType.messageRedacted)
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
            frame.type(BrokerFrameType.publish)
            frame.field("room", room)
            frame.field("seq", seq)
            frame.field("client_id", "bob")
            frame.field("message", ByteBuffer(string: "null"))
            frame.field("redacted", true)
        }
    }

    func clear(epoch: UInt64, in room: String = "lobby") async throws {
        let event = ClearingEvent(room: RoomName(room), epoch: Epoch(rawValue: epoch).description)
        try await self.send(self.frame(from: .make("mod")) { $0.frame(event) })
    }

    /// - Parameter room: `nil`: to the whole channel.
    func notify(_ text: String, code: String? = nil, seconds: Int? = nil, in room: String? = "lobby") async throws {
        try await self.send(
            self.frame(from: .make("mod")) { frame in
                frame.type(BrokerFrameType.notice)
                if let room { frame.field("room", room) }
                frame.field("text", text)
                if let code { frame.field("code", code) }
                if let seconds { frame.field("seconds", seconds) }
            }
        )
    }

    func mute(_ isMuted: Bool = true, reason: String? = nil, until: Int? = nil, in room: String? = "lobby") async throws
    {
        let room = room.map { RoomName($0) }
        let event = MuteEvent(room: room, isMuted: isMuted, reason: reason, until: until.map { Int64($0) })
        try await self.send(self.frame { $0.frame(event) })
    }

    // MARK: The connection

    func goodbye(_ code: Code, retryAfter: Int? = nil) async throws {
        try await self.send(
            self.frame { $0.frame(Goodbye(code, reason: "because", retryAfterMilliseconds: retryAfter)) }
        )
    }

    func ping() async throws {
        try await self.send(self.frame { $0.type(BrokerFrameType.ping) })
    }

    func pong() async throws {
        try await self.send(self.frame { $0.type(BrokerFrameType.pong) })
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
