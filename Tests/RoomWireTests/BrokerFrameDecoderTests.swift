import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// Every frame of the broker's that has no callback, and what it is read as.
@Suite struct BrokerFrameDecoderTests {
    private static let id = "019aa3c5-7b00-7004-8f21-6c0d5e4b3a04"
    private static let sender = #"{"id":"Luke","clientData":{"name":"Luke"}}"#

    @Test(
        arguments: [
            ("publish", #","seq":42,"client_id":"Luke""#, 42, false),
            ("publish", "", nil, false),
            ("publish", #","seq":null"#, nil, false),
            ("history_message", #","seq":9223372036854775807,"index":3"#, 1 << 63 - 1, true),
            (#"\u0070ublish"#, #","seq":0"#, 0, false),
        ] as [(String, String, UInt64?, Bool)]
    )
    func `a message`(type: String, fields: String, seq: UInt64?, isHistory: Bool) throws {
        let text =
            #"{"type":"\#(type)","room":"r","id":"\#(Self.id)","timestamp":1763697600\#(fields),"#
            + #""sender":\#(Self.sender),"message":{"text":"hello"}}"#
        let message = DeliveredMessage(
            room: .r,
            id: .stamped,
            seq: seq,
            sender: .json(Self.sender),
            message: .json(#"{"text":"hello"}"#),
            isHistory: isHistory,
            isRedacted: false
        )
        #expect(try BrokerFrameDecoder.decode(text) == .entry(.message(message)))
    }

    @Test(arguments: [
        (#""data":[{"id":"a"}, {"id":"b"}],"count":2"#, [#"{"id":"a"}"#, #"{"id":"b"}"#], 2),
        (#""data":[],"count":1500,"truncated":true"#, [], 1500),
        (#""data":[ {"id":"a"} ]"#, [#"{"id":"a"}"#], 1),
    ])
    func `the members of a room`(fields: String, members: [String], count: Int) throws {
        let text = #"{"type":"observable_members","room":"r",\#(fields),\#(BrokerLines.stamp)}"#
        guard case .members(let list) = try BrokerFrameDecoder.decode(text) else {
            Issue.record("no list")
            return
        }
        #expect(list.room == .r && list.present.members == members.map { .json($0) } && list.present.count == count)
    }

    @Test(arguments: [("join", PresenceEvent.Kind.joined), ("leave", .left), ("update", .updated)])
    func `a presence event`(type: String, kind: PresenceEvent.Kind) throws {
        let text = #"{"type":"observable_member_\#(type)","room":"r","data":\#(Self.sender),\#(BrokerLines.stamp)}"#
        let event = PresenceEvent(room: .r, kind: kind, member: .json(Self.sender))
        #expect(try BrokerFrameDecoder.decode(text) == .presence(event))
    }

    @Test func `a tombstone`() throws {
        let text = #"{"type":"publish","room":"r","seq":42,"message":null,"redacted":true,\#(BrokerLines.stamp)}"#
        guard case .entry(.message(let message)) = try BrokerFrameDecoder.decode(text) else {
            Issue.record("no message")
            return
        }
        #expect(message.isRedacted && message.message == .json("null") && message.seq == 42)
    }

    @Test(arguments: [("", nil), (#","reason":"spam""#, "spam")] as [(String, String?)])
    func `a redaction`(fields: String, reason: String?) throws {
        let text =
            #"{"type":"message_redacted","room":"r","seq":43,"target_seq":42,"target_id":"\#(Self.id)"\#(fields),"#
            + #""id":"\#(Self.id)","timestamp":1763697600,"sender":\#(Self.sender)}"#
        let event = RedactionEvent(
            room: .r,
            id: .stamped,
            seq: 43,
            targetSeq: 42,
            targetID: .stamped,
            reason: reason,
            sender: .json(Self.sender)
        )
        #expect(try BrokerFrameDecoder.decode(text) == .entry(.redaction(event)))
    }

    @Test func `a clearing`() throws {
        let text = #"{"type":"room_cleared","room":"r","epoch":"5f3c9a1e7b240d86","seq":0,"sender":\#(Self.sender)}"#
        let event = ClearingEvent(room: .r, epoch: "5f3c9a1e7b240d86", seq: 0, sender: .json(Self.sender))
        #expect(try BrokerFrameDecoder.decode(text) == .cleared(event))
    }

    @Test(
        arguments: [
            (#""text":"t""#, nil, nil, nil), (#""room":"r","text":"t","code":"room_locked""#, .r, "room_locked", nil),
            (#""room":"r","text":"t","code":"slow_mode","seconds":0"#, .r, "slow_mode", 0),
        ] as [(String, RoomName?, String?, Int?)]
    )
    func `a notice`(fields: String, room: RoomName?, code: String?, seconds: Int?) throws {
        let text = #"{"type":"notice",\#(fields),"sender":\#(Self.sender)}"#
        guard case .notice(let event) = try BrokerFrameDecoder.decode(text) else {
            Issue.record("no notice")
            return
        }
        #expect(event.room == room && event.text == "t" && event.code == code && event.seconds == seconds)
        #expect(event.sender == .json(Self.sender))
    }

    @Test(
        arguments: [
            (#""muted","room":"r","reason":"spam","until":1763701200"#, .r, true, "spam", 1_763_701_200),
            (#""muted""#, nil, true, nil, nil), (#""unmuted","room":"r""#, .r, false, nil, nil),
        ] as [(String, RoomName?, Bool, String?, Int64?)]
    )
    func `a mute, and its end`(fields: String, room: RoomName?, isMuted: Bool, reason: String?, until: Int64?) throws {
        let event = MuteEvent(room: room, isMuted: isMuted, reason: reason, until: until)
        #expect(try BrokerFrameDecoder.decode(#"{"type":\#(fields),\#(BrokerLines.stamp)}"#) == .mute(event))
    }

    @Test(arguments: [("", nil), (#","code":"kicked""#, "kicked")] as [(String, String?)])
    func `a removal`(fields: String, code: String?) throws {
        let text = #"{"type":"removed","room":"r","reason":"so"\#(fields),\#(BrokerLines.stamp)}"#
        #expect(try BrokerFrameDecoder.decode(text) == .removed(Removal(room: .r, reason: "so", code: code)))
    }

    @Test func `a gap`() throws {
        let text = #"{"type":"gap","room":"r","epoch":"5f3c9a1e7b240d86","from_seq":12,"to_seq":30,"reason":"bored"}"#
        let gap = GapEvent(room: .r, epoch: "5f3c9a1e7b240d86", from: 12, through: 30, reason: "bored")
        #expect(try BrokerFrameDecoder.decode(text) == .gap(gap))
    }

    @Test(
        arguments: [("", nil), (#","retry_after_ms":1840"#, 1840), (#","retry_after_ms":null"#, nil)]
            as [(String, Int?)]
    )
    func `a goodbye`(fields: String, wait: Int?) throws {
        let text = #"{"type":"goodbye","code":"shutting_down","reason":"so","reconnect":true\#(fields)}"#
        let goodbye = Goodbye(.shuttingDown, reason: "so", retryAfterMilliseconds: wait)
        #expect(try BrokerFrameDecoder.decode(text) == .goodbye(goodbye))
    }

    @Test(
        arguments: [
            (
                #"{"error":"e","code":"newer_word"}"#,
                ReplyError(code: "newer_word", text: "e", retryAfterMilliseconds: nil)
            ),
            (#"{"error":"e"}"#, ReplyError(code: "unknown", text: "e", retryAfterMilliseconds: nil)),
            (
                #"{"error":"e","code":"c","room":"r","message_id":"019AA3C5-7b00-7004-8f21-6c0d5e4b3a04","retry_after_ms":9}"#,
                ReplyError(code: "c", text: "e", retryAfterMilliseconds: 9, room: .r, messageID: .stamped)
            ),
        ] as [(String, ReplyError)]
    )
    func `an error without a callback`(text: String, error: ReplyError) throws {
        #expect(try BrokerFrameDecoder.decode(text) == .failure(error))
    }

    @Test(arguments: [
        (#"{"type":"ping"}"#, BrokerFrame.ping), (#"{"type":"pong","id":7}"#, .pong),
        (#"{"type":"Ping"}"#, .unknown(type: "Ping")), (#"{"type":""}"#, .unknown(type: "")),
        (#"{"type":"reaction","room":[],"id":7,"data":"x"}"#, .unknown(type: "reaction")),
        (#"{"type":"r\u00e9action","error":"e"}"#, .unknown(type: "réaction")),
        (#"{"type":"reaction","seq":7,"room":"r"}"#, .unknown(type: "reaction", room: RoomName("r"), seq: 7)),
    ])
    func `pings, and types that came after us`(text: String, frame: BrokerFrame) throws {
        #expect(try BrokerFrameDecoder.decode(text) == frame)
    }

    @Test func `keys are compared unescaped, unknown ones and those within values ignored`() throws {
        let text =
            #"{"x":{"type":"gap"},"x":[],"ty\u0070e":"publish","r\u006fom":"\u0072","i\u0064":"\#(Self.id)","rooms":7,"#
            + #""sender":{"type":1,"room":2},"message":{"message":3,"seq":"4"},"timestamp":"soon","\ud800":0}"#
        guard case .entry(.message(let message)) = try BrokerFrameDecoder.decode(text) else {
            Issue.record("no message")
            return
        }
        #expect(message.room == .r)
        #expect(message.sender == .json(#"{"type":1,"room":2}"#))
        #expect(message.message == .json(#"{"message":3,"seq":"4"}"#))
    }

    @Test(arguments: [
        "1.0", "12345678901234567890", "1e400", "-0", #""\ud800\u2028\/""#, "\"\u{2028}\"", #"{"b":1,"a":2,"b":3}"#,
        "null", "[ 1 ,\t{ } ]", "false", "\"\u{7f}é🙂\"", "{\r\"a\" : 1}",
    ])
    func `a message passes byte for byte, in the memory of its line`(message: String) throws {
        var line = ByteBuffer(
            string: #"xxx{"message": \#(message) ,"type":"publish","room":"r",\#(BrokerLines.stamp)}"#
        )
        line.moveReaderIndex(forwardBy: 3)
        guard case .entry(.message(let delivered)) = try BrokerFrameDecoder().decode(line) else {
            Issue.record("no message")
            return
        }
        #expect(delivered.message == ByteBuffer(string: message))
        let start = line.withUnsafeReadableBytes { $0.baseAddress }
        #expect(delivered.message.withUnsafeReadableBytes { $0.baseAddress } == start.map { $0 + 12 })
    }
}
