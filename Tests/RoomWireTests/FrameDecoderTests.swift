import NIOCore
import RoomModel
import RoomWire
import Testing

/// Every client frame of protocol §1 and §2, and what it is read as.
@Suite struct FrameDecoderTests {
    @Test(arguments: [
        (#"{"type":"ping"}"#, ClientFrame(callback: nil, request: .ping)),
        (#"{"type":"pong"}"#, ClientFrame(callback: nil, request: .pong)),
        (#"{"type":"rooms","callback":7}"#, ClientFrame(callback: 7, request: .rooms)),
        (#"{"type":"members","room":"r","callback":0}"#, ClientFrame(callback: 0, request: .members(.r))),
        (
            #"{"type":"authenticate","token":"a.b.c","callback":1}"#,
            ClientFrame(callback: 1, request: .authenticate(token: "a.b.c"))
        ),
        (
            #"{"type":"update","client_data":{"name":"Ann"},"callback":1}"#,
            ClientFrame(callback: 1, request: .update(clientData: .json(#"{"name":"Ann"}"#)))
        ),
        (
            #"{"type":"update","client_data":null}"#,
            ClientFrame(callback: nil, request: .update(clientData: .json("null")))
        ),
    ])
    func `short frames`(text: String, frame: ClientFrame) throws {
        #expect(try FrameDecoder.decode(text) == frame)
    }

    @Test(arguments: [
        (#"{"type":"handshake","channel":"c","callback":0}"#, HandshakeRequest(channel: "c")),
        (
            #"{"type":"handshake","channel":"c","client_data":{"a":1.0},"callback":0}"#,
            HandshakeRequest(channel: "c", clientData: .json(#"{"a":1.0}"#))
        ),
        (
            #"{"type":"handshake","channel":"c","callback":0,"client_data":null,"token":null,"resume":null,"#
                + #""resumable":null,"heartbeat":null,"version":"1.2"}"#, HandshakeRequest(channel: "c")
        ),
        (
            #"{"type":"handshake","channel":"c","token":"t","resumable":true,"resume":"r","heartbeat":30,"callback":0}"#,
            HandshakeRequest(channel: "c", token: "t", resumable: true, resume: "r", heartbeat: 30)
        ),
    ])
    func `a handshake`(text: String, request: HandshakeRequest) throws {
        #expect(try FrameDecoder.decode(text) == ClientFrame(callback: 0, request: .handshake(request)))
    }

    @Test(arguments: [
        (#""room":"r""#, SubscribeRequest(rooms: .one(.r))),
        (#""room":"r","history_count":0,"history":0"#, SubscribeRequest(rooms: .one(.r))),
        (#""room":"r","history_count":5,"history":9"#, SubscribeRequest(rooms: .one(.r), historyCount: 5)),
        (#""room":"r","history":9"#, SubscribeRequest(rooms: .one(.r), historyCount: 9)),
        (#""room":"r","history_count":null,"history":9"#, SubscribeRequest(rooms: .one(.r), historyCount: 9)),
        (#""room":"r","rooms":null,"since":null,"overflow":null"#, SubscribeRequest(rooms: .one(.r))),
        (#""rooms":["a","b"],"room":null"#, SubscribeRequest(rooms: .many([.success(.a), .success(.b)]))),
        (#""room":"r","overflow":"latest""#, SubscribeRequest(rooms: .one(.r), overflow: .latest)),
        (#""room":"r","overflow":"drop_oldest""#, SubscribeRequest(rooms: .one(.r), overflow: .dropOldest)),
        (
            #""room":"r","since":{"epoch":"00000000000000ff","seq":12,"more":[1]}"#,
            SubscribeRequest(rooms: .one(.r), since: Position(epoch: Epoch(rawValue: 255), seq: 12))
        ),
        (
            #""room":"r","since":{"seq":18446744073709551615,"epoch":"another"}"#,
            SubscribeRequest(rooms: .one(.r), since: Position(epoch: nil, seq: .max))
        ),
        (#""room":"r","presence":true"#, SubscribeRequest(rooms: .one(.r), presence: true)),
        (#""presence":false,"rooms":["a"]"#, SubscribeRequest(rooms: .many([.success(.a)]), presence: false)),
        (#""room":"r","presence":null"#, SubscribeRequest(rooms: .one(.r))),
    ])
    func `a subscribe`(fields: String, request: SubscribeRequest) throws {
        let frame = try FrameDecoder.decode(#"{"type":"subscribe","callback":2,\#(fields)}"#)
        #expect(frame == ClientFrame(callback: 2, request: .subscribe(request)))
    }

    @Test func `an unsubscribe of one room and of many`() throws {
        #expect(
            try FrameDecoder.decode(#"{"type":"unsubscribe","room":"r","callback":3}"#)
                == ClientFrame(callback: 3, request: .unsubscribe(.one(.r)))
        )
        #expect(
            try FrameDecoder.decode(#"{"type":"unsubscribe","rooms":[ "a" ]}"#)
                == ClientFrame(callback: nil, request: .unsubscribe(.many([.success(.a)])))
        )
    }

    @Test(arguments: [
        (#""room":"r","message":"hi""#, PublishRequest(room: .r, message: .json(#""hi""#))),
        (#""message":[1, 2],"room":"r""#, PublishRequest(room: .r, message: .json("[1, 2]"))),
        (#""room":"r","message":null,"message_id":null"#, PublishRequest(room: .r, message: .json("null"))),
        (#""room":"r","message":1,"ephemeral":true"#, PublishRequest(room: .r, message: .json("1"), isEphemeral: true)),
        (#""room":"r","message":1,"echo":false"#, PublishRequest(room: .r, message: .json("1"), echoes: false)),
        (#""room":"r","message":1,"echo":true,"ephemeral":false"#, PublishRequest(room: .r, message: .json("1"))),
        (
            #""room":"r","message":1,"message_id":"0190A0B0-0000-7000-8000-0123456789ab""#,
            PublishRequest(
                room: .r,
                message: .json("1"),
                messageID: UniqueID(high: 0x0190_a0b0_0000_7000, low: 0x8000_0123_4567_89ab)
            )
        ),
    ])
    func `a publish`(fields: String, request: PublishRequest) throws {
        let frame = try FrameDecoder.decode(#"{"type":"publish","callback":4,\#(fields)}"#)
        #expect(frame == ClientFrame(callback: 4, request: .publish(request)))
    }

    @Test(arguments: [
        (#""room":"r""#, HistoryRequest(room: .r)),
        (#""room":"r","limit":1"#, HistoryRequest(room: .r, limit: 1)),
        (#""room":"r","before_seq":9,"after_seq":null"#, HistoryRequest(room: .r, anchor: .before(9))),
        (#""room":"r","after_seq":0,"limit":50"#, HistoryRequest(room: .r, anchor: .after(0), limit: 50)),
    ])
    func `a history query`(fields: String, request: HistoryRequest) throws {
        let frame = try FrameDecoder.decode(#"{"type":"history","callback":5,\#(fields)}"#)
        #expect(frame == ClientFrame(callback: 5, request: .history(request)))
    }

    @Test(arguments: [0, -0, 1, -1, .max, .min] as [Int64])
    func `a callback is any integer of 64 bits`(callback: Int64) throws {
        #expect(try FrameDecoder.decode(#"{"type":"ping","callback":\#(callback)}"#).callback == callback)
    }

    @Test func `a callback of null is none`() throws {
        #expect(try FrameDecoder.decode(#"{"type":"ping","callback":null}"#).callback == nil)
    }
}

/// What holds for all frames alike.
@Suite struct FrameReadingTests {
    @Test func `keys and types are compared unescaped`() throws {
        let text = #"{"ty\u0070e":"\u0070ublish","r\u006fom":"\u0072","message":"\u0041"}"#
        let request = PublishRequest(room: .r, message: .json(#""\u0041""#))
        #expect(try FrameDecoder.decode(text).request == .publish(request))
    }

    @Test(arguments: [
        "1.0", "12345678901234567890", "1e400", "-0", #""\ud800\u2028\/""#, "\"\u{2028}\"", #"{"b":1,"a":2,"b":3}"#,
        #"{"type":"x","callback":1}"#, "[ 1 ,\t{ } ]", "false", "\"\u{7f}é🙂\"",
    ])
    func `a message passes byte for byte`(message: String) throws {
        let frame = try FrameDecoder.decode(#"{"type":"publish","room":"r","message": \#(message) }"#)
        #expect(frame.request == .publish(PublishRequest(room: .r, message: ByteBuffer(string: message))))
    }

    @Test func `a message is a slice of the line`() throws {
        let line = ByteBuffer(string: #"{"message":"hello","type":"publish","room":"r"}"#)
        guard case .publish(let publish) = try FrameDecoder(limits: FrameLimits()).decode(line).request else { return }
        let start = line.withUnsafeReadableBytes { $0.baseAddress }
        #expect(publish.message.withUnsafeReadableBytes { $0.baseAddress } == start.map { $0 + 11 })
    }

    @Test func `client data does not hold the read buffer`() throws {
        let room = String(repeating: " ", count: 4_000)
        let frame = try FrameDecoder.decode(#"{"type":"update","client_data":{"a":1}\#(room)}"#)
        guard case .update(let clientData) = frame.request else { return }
        #expect(clientData.capacity < 64)
    }

    @Test func `line breaks within values become spaces`() throws {
        let text = "{\r\n\"type\":\"publish\",\n\"room\":\"r\",\"message\":{\n\"a\":\"\\n\",\r\n\"b\":1}\n}"
        let message = ByteBuffer(string: "{ \"a\":\"\\n\",  \"b\":1}")
        #expect(try FrameDecoder.decode(text).request == .publish(PublishRequest(room: .r, message: message)))
    }

    @Test func `unknown fields and fields of other frames are ignored`() throws {
        let text = #"{"version":1,"type":"ping","x":{"callback":[]},"x":2,"limit":"no","since":7,"\ud800":0}"#
        #expect(try FrameDecoder.decode(text) == ClientFrame(callback: nil, request: .ping))
    }

    @Test func `a reader index that is not 0 makes no difference`() throws {
        var line = ByteBuffer(string: #"xxx{"type":"publish","room":"r","message":[1]}"#)
        line.moveReaderIndex(forwardBy: 3)
        let frame = try FrameDecoder(limits: FrameLimits()).decode(line)
        #expect(frame.request == .publish(PublishRequest(room: .r, message: .json("[1]"))))
    }

    @Test(arguments: ["r", "room 3", "É/ü", "\u{2028}", "🙂", "\u{a0}", #"a"b\c"#, String(repeating: "é", count: 100)])
    func `a room name is any text without control characters`(name: String) throws {
        let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        #expect(
            try FrameDecoder.decode(#"{"type":"members","room":"\#(escaped)"}"#).request == .members(RoomName(name))
        )
    }

    @Test func `a pair of surrogate escapes is one character`() throws {
        #expect(
            try FrameDecoder.decode(#"{"type":"members","room":"\ud83D\uDe00!"}"#).request == .members(RoomName("😀!"))
        )
    }

    @Test func `wrong names among many rooms are answered in place`() throws {
        let frame = try FrameDecoder.decode(
            #"{"type":"subscribe","rooms":["a","","\u0007","\ud800","b"],"callback":1}"#
        )
        guard case .subscribe(let subscribe) = frame.request, case .many(let rooms) = subscribe.rooms else {
            Issue.record("not read as many rooms")
            return
        }
        let codes = rooms.map { room in
            switch room {
            case .success(let name): name.text
            case .failure(let error): error.code.rawValue
            }
        }
        #expect(codes == ["a", "room_name_invalid", "room_name_invalid", "room_name_invalid", "b"])
    }
}

extension FrameDecoder {
    /// Decodes with the limits as they are by default.
    static func decode(_ text: String) throws(RequestError) -> ClientFrame {
        try FrameDecoder(limits: FrameLimits()).decode(ByteBuffer(string: text))
    }
}

extension RoomName {
    static let a = RoomName("a")
    static let b = RoomName("b")
    static let r = RoomName("r")
}

extension ByteBuffer {
    static func json(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }
}
