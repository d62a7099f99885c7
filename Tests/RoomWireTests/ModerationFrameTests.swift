import NIOCore
import RoomModel
import RoomWire
import Testing

/// `moderate`: each action, what is wrong with it, and that a client writes what a broker reads.
@Suite struct ModerationFrameTests {
    private static let id = "019aa3c5-7b00-7004-8f21-6c0d5e4b3a04"
    private static let luke = ClientID("Luke")
    private static let network = AddressRange("10.0.0.0/8").map { SanctionSubject.address($0) }

    @Test(
        arguments: [
            (#""kick","client_id":"Luke""#, .room(.kick(luke, reason: nil))),
            (#""kick","client_id":"Luke","reason":"enough","user":"x""#, .room(.kick(luke, reason: "enough"))),
            (#""ban","user":"u7""#, .impose(.ban, .user("u7"), reason: nil, seconds: nil)),
            (
                #""ban","user":null,"client_id":"Luke","seconds":1,"reason":null"#,
                .impose(.ban, .client(luke), reason: nil, seconds: 1)
            ),
            (
                #""mute","address":"10.0.0.0/8","seconds":315360000,"reason":"r""#,
                network.map { .impose(.mute, $0, reason: "r", seconds: 315_360_000) }
            ),
            (#""unban","address":"10.0.0.0/8""#, network.map { .lift(.ban, $0) }),
            (#""unmute","user":"u7","seconds":"x""#, .lift(.mute, .user("u7"))),
            (#""lock""#, .lock(reason: nil)), (#""lock","reason":"night""#, .lock(reason: "night")),
            (#""unlock""#, .unlock), (#""\u0063lear""#, .room(.clear)),
            (#""slow_mode","seconds":0"#, .slowMode(seconds: 0)),
            (#""slow_mode","seconds":86400"#, .slowMode(seconds: 86_400)),
            (#""limit_members","count":1000000"#, .limitMembers(count: 1_000_000)),
            (#""redact","target_seq":12"#, .room(.redact(.seq(12), reason: nil))),
            (#""redact","target_id":"\#(id)","reason":"spam""#, .room(.redact(.id(.stamped), reason: "spam"))),
            (#""notice","text":"hear, hear""#, .room(.notice(Notice(text: "hear, hear")))),
            (#""show""#, .show(authorOf: nil)),
            (#""show","target_seq":12"#, .show(authorOf: .seq(12))),
            (#""show","target_id":"\#(id)""#, .show(authorOf: .id(.stamped))),
            (#""ban","user":"u7","redact":true"#, .banAndRedact(.user("u7"), reason: nil, seconds: nil)),
            (
                #""ban","client_id":"Luke","redact":true,"seconds":5,"reason":"spam""#,
                .banAndRedact(.client(luke), reason: "spam", seconds: 5)
            ),
            (#""ban","user":"u7","redact":false"#, .impose(.ban, .user("u7"), reason: nil, seconds: nil)),
            (#""redact","user":"u7","reason":"spam""#, .redactAll(.user("u7"), after: 0, reason: "spam")),
            (#""redact","client_id":"Luke","after_seq":9"#, .redactAll(.client(luke), after: 9, reason: nil)),
        ] as [(String, ModerationAct?)]
    )
    func `an action is read, and written as it is read`(fields: String, act: ModerationAct?) throws {
        let request = ModerationRequest(room: .r, act: try #require(act))
        let frame = try FrameDecoder.decode(#"{"type":"moderate","room":"r","callback":3,"action":\#(fields)}"#)
        #expect(frame == ClientFrame(callback: 3, request: .moderate(request)))
        var line = ByteBuffer()
        ClientFrameWriter.write(request, callback: 3, into: &line)
        #expect(try FrameDecoder(limits: FrameLimits()).decode(line) == frame)
    }

    private static let actions =
        "kick, ban, mute, unban, unmute, lock, unlock, slow_mode, limit_members, redact, clear, notice, show"

    @Test(arguments: [
        (#""action":"lock""#, Code.missingField, "\"room\" is missing, it has to be the name of a room"),
        (#""room":"r""#, .missingField, "\"action\" is missing, it has to be one of \(actions)"),
        (#""room":"r","action":5"#, .invalidField, "\"action\" has to be a string, not 5"),
        (
            #""room":"r","action":"k\u001bick""#, .invalidField, "\"action\" has to be one of \(actions), not \"kick\""
        ),
        (
            #""room":"r","action":"lock","action":"clear""#, .duplicateField,
            "\"action\" is given twice; give it once"
        ),
    ])
    func `what every moderate frame needs`(fields: String, code: Code, message: String) {
        #expect(throws: RequestError(code, message)) { try FrameDecoder.decode(#"{"type":"moderate",\#(fields)}"#) }
    }

    @Test(arguments: [
        (#""kick","user":"u7""#, Code.missingField, "\"client_id\" is missing, it has to be a string"),
        (#""kick","client_id":"""#, .invalidField, "\"client_id\" has to have 1 to 200 bytes, not 0"),
        (
            #""ban","reason":"r""#, .missingField, "\"user\", \"client_id\" or \"address\" is missing: give one of them"
        ),
        (
            #""unmute","user":"u","client_id":"c""#, .invalidField,
            "give one of \"user\", \"client_id\" and \"address\", not more"
        ),
        (#""ban","user":7"#, .invalidField, "\"user\" has to be a string, not 7"),
        (
            #""ban","address":"10.0.0.1/8""#, .invalidField,
            "\"address\" has to be an IP address, or a network such as 10.0.0.0/8 without host bits, "
                + "not \"10.0.0.1/8\""
        ),
        (
            #""ban","user":"u","seconds":0"#, .invalidField,
            "\"seconds\" has to be an integer from 1 to 315360000, not 0"
        ),
        (
            #""mute","user":"u","seconds":315360001"#, .invalidField,
            "\"seconds\" has to be an integer from 1 to 315360000, not 315360001"
        ),
        (#""slow_mode""#, .missingField, "\"seconds\" is missing, it has to be an integer from 0 to 86400"),
        (
            #""slow_mode","seconds":1.5"#, .invalidField, "\"seconds\" has to be an integer from 0 to 86400, not 1.5"
        ),
        (
            #""limit_members","count":-1"#, .invalidField, "\"count\" has to be an integer from 0 to 1000000, not -1"
        ),
        (
            #""redact""#, .missingField,
            "\"target_seq\" or \"target_id\" is missing: name the message, or by \"user\" or \"client_id\" somebody whose "
                + "messages are meant"
        ),
        (
            #""redact","target_seq":1,"user":"u""#, .invalidField,
            "name one message, or somebody whose messages are meant, not both"
        ),
        (
            #""redact","address":"10.0.0.0/8""#, .invalidField,
            "messages are not stored with an address: name their author by \"user\" or \"client_id\""
        ),
        (
            #""ban","address":"10.0.0.0/8","redact":true"#, .invalidField,
            "messages are not stored with an address: name their author by \"user\" or \"client_id\""
        ),
        (#""ban","user":"u","redact":"yes""#, .invalidField, "\"redact\" has to be true or false, not a string"),
        (#""redact","target_seq":0"#, .invalidField, "\"target_seq\" has to be an integer of 1 or more, not 0"),
        (
            #""redact","target_id":"x""#, .invalidField,
            "\"target_id\" has to be a UUID of 36 characters, not \"x\""
        ),
        (
            #""redact","target_seq":1,"target_id":"019aa3c5-7b00-7004-8f21-6c0d5e4b3a04""#, .invalidField,
            "give \"target_seq\" or \"target_id\", not both"
        ),
        (#""notice""#, .missingField, "\"text\" is missing, it has to be a string"),
        (#""notice","text":"""#, .invalidField, "\"text\" has to have 1 to 2000 bytes, not 0"),
    ])
    func `what an action needs`(fields: String, code: Code, message: String) {
        #expect(throws: RequestError(code, message, callback: 4)) {
            try FrameDecoder.decode(#"{"type":"moderate","room":"r","callback":4,"action":\#(fields)}"#)
        }
    }

    @Test func `texts are bounded by their bytes`() throws {
        let text = String(repeating: "é", count: 250)
        let frame = #"{"type":"moderate","room":"r","action":"lock","reason":"\#(text)"#
        #expect(
            try FrameDecoder.decode(frame + #""}"#).request
                == .moderate(ModerationRequest(room: .r, act: .lock(reason: text)))
        )
        #expect(throws: RequestError(.invalidField, "\"reason\" has to have 1 to 500 bytes, not 501")) {
            try FrameDecoder.decode(frame + #"x"}"#)
        }
    }

    @Test func `the names of a moderator's fields mean nothing in other frames`() throws {
        let text = #"{"type":"publish","room":"r","message":1,"text":1,"text":2,"user":[],"client_id":{},"action":0}"#
        #expect(
            try FrameDecoder.decode(text).request == .publish(PublishRequest(room: .r, message: .json("1")))
        )
    }
}
