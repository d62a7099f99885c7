import NIOCore
import RoomJSON
import RoomModel

/// One function for each frame type.
extension FrameReader {
    func handshake() throws(RequestError) -> Request {
        let clientData = self.value(.clientData).map(self.clientData)
        return .handshake(
            HandshakeRequest(
                channel: try self.requiredString(.channel),
                clientData: clientData,
                token: try self.string(.token),
                resumable: try self.flag(.resumable) ?? false,
                resume: try self.string(.resume),
                heartbeat: try self.integer(.heartbeat, atLeast: 1)
            )
        )
    }

    func update() throws(RequestError) -> Request {
        guard let place = self.scan[.clientData] else { throw self.missing(.clientData, "a JSON value") }
        return .update(clientData: self.clientData(at: place))
    }

    func subscribe() throws(RequestError) -> Request {
        let rooms = try self.roomSelection()
        let historyCount: Int? =
            if let count: Int = try self.integer(.historyCount, atLeast: 0) { count } else {
                try self.integer(.history, atLeast: 0)
            }
        let since = try self.since()
        if since != nil, case .many = rooms {
            throw RequestError(.invalidField, "\"since\" belongs to one room: give \"room\" with it, not \"rooms\"")
        }
        return .subscribe(
            SubscribeRequest(
                rooms: rooms,
                historyCount: historyCount ?? 0,
                since: since,
                overflow: try self.overflow(),
                presence: try self.flag(.presence)
            )
        )
    }

    func publish(callback: Int64?) throws(RequestError) -> Request {
        let room = try self.room()
        guard let place = self.scan[.message] else { throw self.missing(.message, "a JSON value") }
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

    func history() throws(RequestError) -> Request {
        let room = try self.room()
        let before: UInt64? = try self.integer(.beforeSeq)
        let after: UInt64? = try self.integer(.afterSeq)
        let anchor: HistoryRequest.Anchor
        switch (before, after) {
        case (nil, nil): anchor = .newest
        case (let seq?, nil): anchor = .before(seq)
        case (nil, let seq?): anchor = .after(seq)
        case (_?, _?): throw RequestError(.invalidField, "give \"before_seq\" or \"after_seq\", not both")
        }
        return .history(HistoryRequest(room: room, anchor: anchor, limit: try self.integer(.limit, atLeast: 1)))
    }

    /// A copy: it lives as long as the session, and a slice would hold the read buffer for that time.
    private func clientData(at place: Range<Int>) -> ByteBuffer {
        self.json(place).compactCopy()
    }

    private func overflow() throws(RequestError) -> OverflowPolicy {
        guard let text = try self.string(.overflow) else { return .disconnect }
        guard let policy = OverflowPolicy(rawValue: text) else {
            let words = OverflowPolicy.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw RequestError(
                .invalidField,
                "\"overflow\" has to be one of \(words), not \"\(ErrorText.excerpt(text))\""
            )
        }
        return policy
    }
}

/// `"since":{"epoch":"…","seq":n}`: where a client stopped.
extension FrameReader {
    func since() throws(RequestError) -> Position? {
        guard let place = self.value(.since) else { return nil }
        let value = self.bytes.slice(place)
        guard value.first == UInt8(ascii: "{") else { throw self.misfit(.since, "an object of epoch and seq", place) }
        guard let epoch = JSONFields.range(of: "epoch", in: value), let text = JSONString.text(at: epoch, in: value)
        else { throw RequestError(.invalidField, "\"since\" needs \"epoch\", the string of the last reply") }
        guard let seq = JSONFields.range(of: "seq", in: value),
            case .value(let number) = JSONInteger<UInt64>.read(value.slice(seq), as: UInt64.self)
        else { throw RequestError(.invalidField, "\"since\" needs \"seq\", an integer of 0 or more") }
        return Position(epoch: Epoch(text), seq: number)
    }
}

extension FrameReader {
    func moderate() throws(RequestError) -> Request {
        let room = try self.room()
        let act = try FrameScan<ModerationField>.reading(self.line) { scan, bytes throws(RequestError) in
            do throws(JSONFault) {
                try scan.read(bytes, nestingLimit: self.limits.nesting)
            } catch {
                throw RequestError(error.code, error.text(in: bytes, nestingLimit: self.limits.nesting))
            }
            return try ModerationReader(line: self.line, bytes: bytes, scan: scan).act()
        }
        return .moderate(ModerationRequest(room: room, act: act))
    }
}
