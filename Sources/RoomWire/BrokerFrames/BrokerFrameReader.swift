import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from the broker.
struct BrokerFrameReader: FieldReader {
    let source: ObjectSource
    let scan: FrameScan<BrokerField>
    /// The name of the frame in error texts.
    private var subject: StaticString = "frame"

    static func read<Value>(
        _ line: ByteBuffer,
        nestingLimit: Int,
        _ body: (BrokerFrameReader) throws(BrokerFrameError) -> Value
    ) throws(BrokerFrameError) -> Value {
        try FrameScan<BrokerField>.reading(line) { scan, bytes throws(BrokerFrameError) in
            do throws(JSONFault) {
                try scan.read(bytes, nestingLimit: nestingLimit)
                if let concern = scan.concern { throw concern }
            } catch {
                throw BrokerFrameError(error.code, error.text(in: bytes, nestingLimit: nestingLimit))
            }
            let reader = BrokerFrameReader(source: ObjectSource(line, bytes), scan: scan)
            if let field = scan.duplicate { throw reader.fault(FieldFault(.repeated, path: ["\(field.name)"])) }
            return try body(reader)
        }
    }

    private init(source: ObjectSource, scan: FrameScan<BrokerField>) {
        (self.source, self.scan) = (source, scan)
    }

    /// The same reader, with another name in its errors.
    func about(_ subject: StaticString) -> BrokerFrameReader {
        var reader = self
        reader.subject = subject
        return reader
    }

    func fault(_ fault: FieldFault) -> BrokerFrameError { BrokerFrameError(fault, in: self.subject) }
}

/// The frame as a whole.
extension BrokerFrameReader {
    func frame() throws(BrokerFrameError) -> BrokerFrame {
        if let callback: Int64 = try self.value(.callback) {
            return .reply(try self.about("reply").reply(callback: callback))
        }
        guard let found = self.found(.type), !found.isNull else {
            guard self.has(.error) else {
                let text = "it needs a \"type\", a \"callback\" or an \"error\""
                throw self.fault(FieldFault(.refused(RequestError(.missingField, text))))
            }
            return .failure(try self.about("error").body())
        }
        guard let type: BrokerFrameType = try self.word(found) else { return .unknown(type: try self.required(.type)) }
        return try self.about(type.name).frame(of: type)
    }

    private func frame(of type: BrokerFrameType) throws(BrokerFrameError) -> BrokerFrame {
        switch type {
        case .publish: return .message(try self.message(isHistory: false))
        case .historyMessage: return .message(try self.message(isHistory: true))
        case .members: return .members(try self.body())
        case .memberJoin: return .presence(try self.presence(.joined))
        case .memberLeave: return .presence(try self.presence(.left))
        case .memberUpdate: return .presence(try self.presence(.updated))
        case .gap: return .gap(try self.body())
        case .messageRedacted: return .redaction(try self.body())
        case .roomCleared:
            var event: ClearingEvent = try self.body()
            event.sender = try self.required(.sender, .object)
            return .cleared(event)
        case .notice:
            var event: NoticeEvent = try self.body()
            event.sender = try self.required(.sender, .object)
            return .notice(event)
        case .muted: return .mute(try self.body())
        case .unmuted:
            var event: MuteEvent = try self.body()
            event.isMuted = false
            return .mute(event)
        case .removed: return .removed(try self.body())
        case .goodbye: return .goodbye(try self.body())
        case .ping: return .ping
        case .pong: return .pong
        }
    }

    private func presence(_ kind: PresenceEvent.Kind) throws(BrokerFrameError) -> PresenceEvent {
        var event: PresenceEvent = try self.body()
        event.kind = kind
        return event
    }

    /// An entry of a page of history; `nil` for a kind that only newer brokers have.
    static func storedEntry(_ object: ByteBuffer) throws(BrokerFrameError) -> StoredEntry? {
        try Self.read(object, nestingLimit: .max) { reader throws(BrokerFrameError) in
            guard let found = reader.found(.type), !found.isNull else {
                throw reader.fault(FieldFault(.missing(right: "\"publish\""), path: ["type"]))
            }
            let type: BrokerFrameType? = try reader.word(found)
            switch type {
            case .publish: return .message(try reader.about("stored publish").message(isHistory: true))
            case .messageRedacted: return .redaction(try reader.about("stored message_redacted").body())
            default: return nil
            }
        }
    }
}

/// The frames that come more often than all others: messages, and the answers to publishes.
extension BrokerFrameReader {
    private func message(isHistory: Bool) throws(BrokerFrameError) -> DeliveredMessage {
        DeliveredMessage(
            room: try self.required(.room),
            id: try self.required(.id),
            seq: try self.value(.seq, .countable),
            sender: try self.required(.sender, .object),
            message: try self.required(.message),
            isHistory: isHistory,
            isRedacted: try self.value(.redacted) ?? false
        )
    }

    private func reply(callback: Int64) throws(BrokerFrameError) -> Reply {
        Reply(
            callback: callback,
            error: self.has(.error) ? try self.body() : nil,
            id: try self.value(.id),
            seq: try self.value(.seq, .countable),
            isDuplicate: try self.value(.duplicate) ?? false,
            line: self.source.text
        )
    }
}
