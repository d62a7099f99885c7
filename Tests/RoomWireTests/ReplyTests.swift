import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// What the replies say to those who asked.
@Suite struct ReplyTests {
    @Test(arguments: [
        (#""client_id":"Luke""#, HandshakeReply.make()),
        (#""client_id":"Luke","require_auth":true"#, .make(requiresAuthentication: true)),
        (
            #""client_id":"Luke","resume_token":"t","resumed":false,"require_auth":false"#,
            .make(resumeToken: "t", resumed: false)
        ),
    ])
    func `to a handshake`(fields: String, answer: HandshakeReply) throws {
        let reply = try BrokerFrameDecoder.reply(#"{"callback":0,\#(fields),\#(BrokerLines.stamp)}"#)
        #expect(reply.callback == 0)
        #expect(reply.error == nil)
        #expect(try reply.handshake() == answer)
    }

    @Test(arguments: [
        (#""epoch":"00000000000000ff","seq":41"#, SubscribeReply(epoch: Epoch(rawValue: 255), seq: 41, recovered: nil)),
        (
            #""epoch":"00000000000000ff","seq":0,"recovered":true"#,
            SubscribeReply(epoch: Epoch(rawValue: 255), seq: 0, recovered: true)
        ),
        (#""epoch":"newer","seq":7,"recovered":false"#, SubscribeReply(epoch: nil, seq: 7, recovered: false)),
        (#""error":null"#, SubscribeReply(epoch: nil, seq: 0, recovered: nil)),
        (#""seq":7,"presence":true"#, SubscribeReply(epoch: nil, seq: 7, recovered: nil, presence: true)),
        (#""seq":7,"presence":false"#, SubscribeReply(epoch: nil, seq: 7, recovered: nil, presence: false)),
    ])
    func `to a subscribe`(fields: String, answer: SubscribeReply) throws {
        let reply = try BrokerFrameDecoder.reply(#"{\#(fields),"callback":1}"#)
        #expect(try reply.subscription() == answer)
    }

    @Test(arguments: [
        (#""seq":43"#, Receipt(id: .stamped, seq: 43, isDuplicate: false)),
        (#""x":0"#, Receipt(id: .stamped, seq: nil, isDuplicate: false)),
        (#""seq":43,"duplicate":true"#, Receipt(id: .stamped, seq: 43, isDuplicate: true)),
    ])
    func `to a publish`(fields: String, receipt: Receipt) throws {
        let reply = try BrokerFrameDecoder.reply(#"{"callback":-7,\#(fields),\#(BrokerLines.stamp)}"#)
        #expect(reply.callback == -7)
        #expect(try reply.receipt() == receipt)
    }

    @Test func `to a history query`() throws {
        let newer = #"{"type":"reaction","room":7}"#
        let text = #"{"callback":9,"messages":[\#(BrokerLines.publish),\#(newer)],"more":true,\#(BrokerLines.stamp)}"#
        let message = DeliveredMessage(
            room: .r,
            id: .stamped,
            seq: 42,
            sender: .json(#"{"id":"Luke","clientData":{"a":1}}"#),
            message: .json(#"{"é":[1.0,"\n"]}"#),
            isHistory: true,
            isRedacted: false
        )
        #expect(
            try BrokerFrameDecoder.reply(text).history()
                == HistoryReply(.read([.message(message)]), gap: nil, more: true)
        )
        let empty = try BrokerFrameDecoder.reply(#"{"callback":9,"messages":[],"more":false}"#)
        #expect(try empty.history() == HistoryReply(.read([]), gap: nil, more: false))
    }

    @Test func `to a history query, with redactions and what came after us`() throws {
        let text =
            #"{"callback":9,"messages":[\#(BrokerLines.redaction),{"type":"poll","room":7},\#(BrokerLines.publish)],"more":true}"#
        let entries = try BrokerFrameDecoder.reply(text).history().entries
        #expect(entries.count == 2)
        guard case .redaction(let event)? = entries.first else {
            Issue.record("no redaction")
            return
        }
        #expect(event.seq == 43 && event.targetSeq == 42 && event.room == .r)
    }

    @Test(arguments: [
        (#"{"from_seq":38,"to_seq":40,"reason":"lost"}"#, HistoryGap(seqs: 38...40, reason: "lost")),
        (#"{"from_seq":4,"to_seq":4,"reason":"stolen","x":0}"#, HistoryGap(seqs: 4...4, reason: "stolen")),
        (#"{"from_seq":4,"to_seq":3,"reason":"lost"}"#, nil), ("null", nil),
    ])
    func `to a history query, with damaged messages`(gap: String, read: HistoryGap?) throws {
        let reply = try BrokerFrameDecoder.reply(#"{"callback":9,"messages":[],"more":false,"gap":\#(gap)}"#)
        #expect(try reply.history().gap == read)
    }

    @Test(arguments: ["7", "{}", #"{"from_seq":"4","to_seq":5,"reason":"lost"}"#, #"{"from_seq":4,"to_seq":5}"#])
    func `a gap of the history that is not one is refused`(gap: String) throws {
        let reply = try BrokerFrameDecoder.reply(#"{"callback":9,"messages":[],"more":false,"gap":\#(gap)}"#)
        #expect(throws: BrokerFrameError.self) { try reply.history() }
    }

    @Test func `to a clearing`() throws {
        let reply = try BrokerFrameDecoder.reply(#"{"callback":9,"epoch":"00000000000000ff","seq":0}"#)
        #expect(try reply.clearing().position == Position(epoch: Epoch(rawValue: 255), seq: 0))
        let wrong = try BrokerFrameDecoder.reply(#"{"callback":9,"seq":0}"#)
        #expect(throws: BrokerFrameError.self) { try wrong.clearing() }
    }

    @Test(arguments: [
        (
            #""error":"e","code":"rate_limited","retry_after_ms":5"#,
            ReplyError(code: "rate_limited", text: "e", retryAfterMilliseconds: 5)
        ),
        (#""error":"e","client_id":"""#, ReplyError(code: "unknown", text: "e", retryAfterMilliseconds: nil)),
        (
            #""error":"\u00e9","code":null,"type":"publish""#,
            ReplyError(code: "unknown", text: "é", retryAfterMilliseconds: nil)
        ),
    ])
    func `to what failed`(fields: String, error: ReplyError) throws {
        #expect(try BrokerFrameDecoder.reply(#"{"callback":3,\#(fields)}"#).error == error)
    }

    @Test func `a field that is missing or does not fit is named`() throws {
        let reply = try BrokerFrameDecoder.reply(
            #"{"callback":1,"client_id":7,"recovered":0,"messages":[{"type":"publish"}],"more":true}"#
        )
        #expect(throws: BrokerFrameError(.missingField, #"reply to a publish: "id" is missing, it has to be a UUID"#)) {
            try reply.receipt()
        }
        #expect(
            throws: BrokerFrameError(.invalidField, #"reply to a handshake: "client_id" has to be a string, not 7"#)
        ) {
            try reply.handshake()
        }
        #expect(
            throws: BrokerFrameError(
                .invalidField,
                #"reply to a subscribe: "recovered" has to be true or false, not 0"#
            )
        ) { try reply.subscription() }
        #expect(
            throws: BrokerFrameError(
                .missingField,
                #"reply to a history query: stored publish: "room" is missing, it has to be the name of a room"#
            )
        ) {
            try reply.history()
        }
    }
}

extension HandshakeReply {
    fileprivate static func make(
        resumeToken: String? = nil,
        resumed: Bool? = nil,
        requiresAuthentication: Bool = false
    ) -> HandshakeReply {
        HandshakeReply(
            clientID: "Luke",
            resumeToken: resumeToken,
            resumed: resumed,
            requiresAuthentication: requiresAuthentication
        )
    }
}
