import NIOCore
import RoomModel
import RoomWire

/// The SDK reads a line of any broker, or says in one short line what is wrong with it; what it reads are parts of the line.
enum BrokerFramesFuzz: FuzzTarget {
    static let name = "broker-frames"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let decoder = BrokerFrameDecoder()
        let result = Result { () throws(BrokerFrameError) in try decoder.decode(bytes.buffer) }
        let again = Result { () throws(BrokerFrameError) in try decoder.decode(ByteBuffer(bytes: bytes)) }
        try demand(result == again, "it depends on where the bytes are")
        switch result {
        case .success(let frame): try self.check(frame)
        case .failure(let error): try self.check(error)
        }
    }

    private static func check(_ error: BrokerFrameError) throws {
        try demand(error.text.isOneSafeLine && error.text.utf8.count < 500, "the text of an error: \(error.text)")
    }

    private static func check(_ frame: BrokerFrame) throws {
        switch frame {
        case .entry(.message(let message)): try self.check(message)
        case .entry(.redaction(let redaction)): try self.checkValue(redaction.sender)
        case .members(let members):
            for member in members.present.members { try self.checkValue(member) }
        case .presence(let event): try self.checkValue(event.member)
        case .reply(let reply): try self.check(reply)
        case .gap, .cleared, .notice, .mute, .removed, .goodbye, .failure, .ping, .pong, .unknown: break
        }
    }

    private static func check(_ message: DeliveredMessage) throws {
        try self.checkValue(message.message)
        try self.checkValue(message.sender)
    }

    private static func check(_ reply: Reply) throws {
        do throws(BrokerFrameError) {
            _ = try reply.receipt()
        } catch {
            try self.check(error)
        }
        do throws(BrokerFrameError) {
            _ = try reply.handshake()
            _ = try reply.subscription()
            _ = try reply.clearing()
        } catch {
            try self.check(error)
        }
        do {
            for case .message(let message) in try reply.history().entries { try self.check(message) }
        } catch let error as BrokerFrameError {
            try self.check(error)
        }
    }

    /// Exactly one JSON value, and if it is an object, one that can be read as a sender.
    private static func checkValue(_ json: ByteBuffer) throws {
        var limits = FrameLimits()
        limits.nesting = 512
        let value = try FrameDecoder(limits: limits).value(json)
        try demand(value.readableBytes == json.readableBytes, "blanks around a value")
        _ = SenderObject(json)
    }
}
