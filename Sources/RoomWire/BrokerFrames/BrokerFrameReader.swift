import NIOCore
import RoomJSON
import RoomModel

/// Reads the fields of one frame from the broker.
struct BrokerFrameReader: FieldReader {
    typealias Field = BrokerField

    let line: ByteBuffer
    let bytes: UnsafeRawBufferPointer
    let scan: FieldScan
    /// The name of the frame in error texts.
    fileprivate(set) var subject: StaticString = "frame"

    static func read<Value>(
        _ line: ByteBuffer,
        nestingLimit: Int,
        _ body: (BrokerFrameReader) throws(BrokerFrameError) -> Value
    ) throws(BrokerFrameError) -> Value {
        try line.withUnsafeReadableBytes { bytes throws(BrokerFrameError) in
            try FieldScan.reading(BrokerFrameType.fields) { scan throws(BrokerFrameError) in
                do throws(JSONFault) {
                    try scan.read(bytes, nestingLimit: nestingLimit)
                    if let concern = scan.concern { throw concern }
                } catch {
                    throw BrokerFrameError(error.code, error.text(in: bytes, nestingLimit: nestingLimit))
                }
                let reader = BrokerFrameReader(line: line, bytes: bytes, scan: scan)
                if let field = scan.duplicate { throw reader.fault(.duplicateField, "\"\(field)\" stands twice") }
                return try body(reader)
            }
        }
    }

    /// The same reader, with another name in its errors.
    func about(_ subject: StaticString) -> BrokerFrameReader {
        var reader = self
        reader.subject = subject
        return reader
    }

    func fault(_ code: Code, _ text: String) -> BrokerFrameError { Self.fault(code, text, of: self.subject) }

    static func missing(_ field: BrokerField, _ right: String, of subject: StaticString) -> BrokerFrameError {
        Self.fault(.missingField, "\"\(field.name)\" is missing, it has to be \(right)", of: subject)
    }

    private static func fault(_ code: Code, _ text: String, of subject: StaticString) -> BrokerFrameError {
        BrokerFrameError(code, "\(subject): \(text)")
    }
}

/// The frame as a whole.
extension BrokerFrameReader {
    func frame() throws(BrokerFrameError) -> BrokerFrame {
        if let callback: Int64 = try self.integer(.callback) {
            return .reply(try self.about("reply").reply(callback: callback))
        }
        guard let place = self.value(.type) else {
            guard self.value(.error) != nil else {
                throw self.fault(.missingField, "it needs a \"type\", a \"callback\" or an \"error\"")
            }
            return .failure(try self.about("error").body())
        }
        guard let type: BrokerFrameType = try self.word(at: place, .type) else {
            // both as they are in all other frames; what else there is has to be right for newer clients only
            let (room, seq) = (try? self.string(.room), try? self.seq())
            return .unknown(type: try self.text(at: place, .type), room: room.map { RoomName($0) }, seq: seq)
        }
        return try self.about(type.name).frame(of: type)
    }

    private func frame(of type: BrokerFrameType) throws(BrokerFrameError) -> BrokerFrame {
        switch type {
        case .publish: return .entry(.message(try self.message(isHistory: false)))
        case .historyMessage: return .entry(.message(try self.message(isHistory: true)))
        case .members: return .members(try self.body())
        case .memberJoin: return .presence(try self.body { $0.kind = .joined })
        case .memberLeave: return .presence(try self.body { $0.kind = .left })
        case .memberUpdate: return .presence(try self.body { $0.kind = .updated })
        case .gap: return .gap(try self.body())
        case .messageRedacted: return .entry(.redaction(try self.body()))
        case .roomCleared:
            let sender = try self.object(.sender)
            return .cleared(try self.body { $0.sender = sender })
        case .notice:
            let sender = try self.object(.sender)
            return .notice(try self.body { $0.sender = sender })
        case .muted, .unmuted: return .mute(try self.body { $0.isMuted = type == .muted })
        case .removed: return .removed(try self.body())
        case .goodbye: return .goodbye(try self.body())
        case .ping: return .ping
        case .pong: return .pong
        }
    }

    /// An entry of a page of history; `nil` for a kind that only newer brokers have.
    static func storedEntry(_ object: ByteBuffer) throws(BrokerFrameError) -> StoredEntry? {
        try Self.read(object, nestingLimit: .max) { reader throws(BrokerFrameError) in
            let place = try reader.required(.type, reader.value(.type), "\"publish\"")
            let type: BrokerFrameType? = try reader.word(at: place, .type)
            switch type {
            case .publish: return .message(try reader.about("stored publish").message(isHistory: true))
            case .messageRedacted: return .redaction(try reader.about("stored message_redacted").body())
            default: return nil
            }
        }
    }

    /// The fields of the frame, as they are described.
    ///
    /// - Parameter add: adds what the frame says beside them.
    private func body<Body: DescribedObject>(_ add: (inout Body) -> Void = { _ in }) throws(BrokerFrameError) -> Body {
        do throws(FieldFault) {
            let source = ObjectSource(text: self.line, bytes: self.bytes, names: BrokerFrameType.fields)
            var body: Body = try ObjectReader.read(from: source, self.scan)
            add(&body)
            return body
        } catch {
            throw BrokerFrameError(error, in: self.subject)
        }
    }
}

/// The frames that come more often than all others: messages, and the answers to publishes.
extension BrokerFrameReader {
    private func message(isHistory: Bool) throws(BrokerFrameError) -> DeliveredMessage {
        DeliveredMessage(
            room: RoomName(try self.required(.room, try self.string(.room), RoomName.right(.any))),
            id: try self.required(.id, try self.uniqueID(.id), "a UUID"),
            seq: try self.seq(),
            sender: try self.object(.sender),
            // `null` is a message, too
            message: self.slice(try self.required(.message, self.scan[BrokerField.message], "a JSON value")),
            isHistory: isHistory,
            isRedacted: try self.flag(.redacted) ?? false
        )
    }

    private func reply(callback: Int64) throws(BrokerFrameError) -> Reply {
        Reply(
            callback: callback,
            error: self.value(.error) == nil ? nil : try self.body(),
            id: try self.uniqueID(.id),
            seq: try self.seq(),
            isDuplicate: try self.flag(.duplicate) ?? false,
            line: self.line
        )
    }

    private func required<Value>(
        _ field: BrokerField,
        _ value: Value?,
        _ right: String
    ) throws(BrokerFrameError) -> Value {
        guard let value else { throw self.missing(field, right) }
        return value
    }

    /// At most `Int64.max`, so that whoever counts on from it cannot overflow.
    private func seq() throws(BrokerFrameError) -> UInt64? {
        let seq: Int64? = try self.integer(.seq, atLeast: 0)
        return seq.map { UInt64($0) }
    }

    /// A sender, as its bytes.
    private func object(_ field: BrokerField) throws(BrokerFrameError) -> ByteBuffer {
        let place = try self.required(field, self.value(field), "an object")
        guard self.bytes[place.lowerBound] == UInt8(ascii: "{") else { throw self.misfit(field, "an object", place) }
        return self.slice(place)
    }
}
