import NIOCore
import RoomModel
import RoomWire

extension BrokerFrameDecoder {
    static func decode(_ text: String) throws(BrokerFrameError) -> BrokerFrame {
        try BrokerFrameDecoder().decode(ByteBuffer(string: text))
    }

    static func reply(_ text: String) throws -> Reply {
        guard case .reply(let reply) = try Self.decode(text) else { throw NoReply() }
        return reply
    }

    private struct NoReply: Error {}
}

extension UniqueID {
    /// 019aa3c5-7b00-7004-8f21-6c0d5e4b3a04
    static let stamped = UniqueID(high: 0x019a_a3c5_7b00_7004, low: 0x8f21_6c0d_5e4b_3a04)
}

/// A line of each kind that the broker writes, with what makes it hard to read.
enum BrokerLines {
    static let stamp =
        #""id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04","timestamp":1763697600,"sender":{"id":"Luke","clientData":{"a":1}}"#
    static let publish =
        #"{"type":"publish","room":"r",\#(stamp),"seq":42,"client_id":"Luke","message":{"é":[1.0,"\n"]}}"#
    static let handshake = #"{"callback":0,"client_id":"Luke","resume_token":"t","resumed":true,\#(stamp)}"#
    static let subscribe = #"{"callback":1,"epoch":"5f3c9a1e7b240d86","seq":41,"recovered":false,\#(stamp)}"#
    static let receipt = #"{"callback":-2,\#(stamp),"seq":43,"duplicate":true}"#
    static let history = #"{"callback":9,"messages":[ \#(publish) , \#(publish)],"more":true,\#(stamp)}"#
    static let members = #"{"callback":8,"members":[{"id":"a"}, {"id":"b"}],"count":2,\#(stamp)}"#
    static let redaction =
        #"{"type":"message_redacted","room":"r","seq":43,"target_seq":42,"target_id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04",\#(stamp)}"#
    static let refusal = #"{"callback":3,"error":"no \"r\"","code":"rate_limited","retry_after_ms":5,\#(stamp)}"#

    static let all = [
        Self.publish, Self.handshake, Self.subscribe, Self.receipt, Self.history, Self.members, Self.refusal,
        #"{"type":"history_message","room":"\u0072","index":0,\#(stamp),"message":null}"#,
        #"{"type":"observable_members","room":"observable-r","data":[{"id":"a"},{"id":"b"}],"count":2,\#(stamp)}"#,
        #"{"type":"observable_member_join","room":"observable-r","data":{"id":"a"},\#(stamp)}"#,
        #"{"type":"gap","room":"r","epoch":"5f3c9a1e7b240d86","from_seq":12,"to_seq":30,"reason":"slow",\#(stamp)}"#,
        #"{"type":"removed","room":"r","reason":"so","code":"kicked",\#(stamp)}"#,
        Self.redaction, #"{"callback":4,"messages":[\#(redaction)],"more":false,\#(stamp)}"#,
        #"{"type":"publish","room":"r","seq":42,"message":null,"redacted":true,\#(stamp)}"#,
        #"{"type":"room_cleared","room":"r","epoch":"5f3c9a1e7b240d86","seq":0,\#(stamp)}"#,
        #"{"type":"notice","room":"r","text":"t","code":"slow_mode","seconds":5,\#(stamp)}"#,
        #"{"type":"muted","room":"r","reason":"so","until":1763701200,\#(stamp)}"#, #"{"type":"unmuted",\#(stamp)}"#,
        #"{"type":"goodbye","code":"replaced","reason":"so","reconnect":false,"retry_after_ms":7,\#(stamp)}"#,
        #"{"error":"e","code":"c","room":"r","message_id":"3d6c0a52-6b0e-4c5e-9a53-0a3f1a2b4c5d",\#(stamp)}"#,
        #"{"type":"pong",\#(stamp)}"#, #"{"type":"p\u00e9ng","data":[{"x":[[]]}]}"#,
    ]

    /// Reads all that can be read from a line, and says whether it all fits.
    static func readThrough(_ line: ByteBuffer) throws(BrokerFrameError) {
        switch try BrokerFrameDecoder().decode(line) {
        case .entry(.message(let message)): _ = SenderObject(message.sender)
        case .members(let list): _ = list.present.members.map(SenderObject.init)
        case .presence(let event): _ = SenderObject(event.member)
        case .reply(let reply): Self.readThrough(reply)
        case .entry(.redaction(let event)): _ = SenderObject(event.sender)
        case .cleared(let event): _ = SenderObject(event.sender)
        case .notice(let event): _ = SenderObject(event.sender)
        case .gap, .mute, .removed, .goodbye, .failure, .ping, .pong, .unknown: break
        }
    }

    /// A reply has the fields of one kind; to the other questions it gives errors.
    private static func readThrough(_ reply: Reply) {
        _ = try? reply.receipt()
        _ = try? reply.handshake()
        _ = try? reply.subscription()
        _ = try? reply.history()
        _ = try? reply.clearing()
    }
}
