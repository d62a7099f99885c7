import NIOCore
import RoomJSON
import RoomModel
import RoomWire
import Testing

/// What a client writes is what the broker reads.
@Suite struct ClientFrameWriterTests {
    @Test(arguments: [
        HandshakeRequest(channel: "c"),
        HandshakeRequest(channel: "c", clientData: .json(#"{"a":1.0}"#), resumable: true),
        HandshakeRequest(channel: "\"\u{1}é", clientData: .json("\"x\""), token: "t\n", resume: "r\\", heartbeat: 30),
    ])
    func `a handshake`(request: HandshakeRequest) throws {
        let frame = try Self.readBack { ClientFrameWriter.write(request, callback: 0, into: &$0) }
        #expect(frame == ClientFrame(callback: 0, request: .handshake(request)))
    }

    @Test(
        arguments: [
            PublishRequest(room: .r, message: .json(#""hi""#)),
            PublishRequest(room: RoomName(Self.hardName), message: .json("[1, 2.0]"), messageID: .stamped),
            PublishRequest(room: .r, message: .json("null"), isEphemeral: true, echoes: false),
            PublishRequest(room: .r, message: .json("\"\(String(repeating: "é", count: 10_000))\"")),
        ],
        [0, 7, .max, .min] as [Int64]
    )
    func `a publish`(request: PublishRequest, callback: Int64) throws {
        let frame = try Self.readBack { ClientFrameWriter.publish(request, callback: callback, into: &$0) }
        #expect(frame == ClientFrame(callback: callback, request: .publish(request)))
    }

    @Test(arguments: [
        SubscribeRequest(rooms: .one(.r)), SubscribeRequest(rooms: .one(.r), historyCount: 5, overflow: .latest),
        SubscribeRequest(rooms: .one(RoomName(Self.hardName)), overflow: .dropOldest),
        SubscribeRequest(rooms: .one(.r), since: Position(epoch: Epoch(rawValue: 255), seq: 12)),
        SubscribeRequest(rooms: .one(.r), since: Position(epoch: nil, seq: .max)),
        SubscribeRequest(rooms: .one(.r), presence: true), SubscribeRequest(rooms: .one(.r), presence: false),
        SubscribeRequest(rooms: .many([.success(.a), .success(.b)]), presence: true),
    ])
    func `a subscribe`(request: SubscribeRequest) throws {
        let frame = try Self.readBack { ClientFrameWriter.write(request, callback: 2, into: &$0) }
        #expect(frame == ClientFrame(callback: 2, request: .subscribe(request)))
    }

    @Test(arguments: [
        HistoryRequest(room: .r), HistoryRequest(room: .r, anchor: .before(9), limit: 50),
        HistoryRequest(room: .r, anchor: .after(.max)), HistoryRequest(room: .r, anchor: .after(0), limit: 1),
    ])
    func `a history query`(request: HistoryRequest) throws {
        let frame = try Self.readBack { ClientFrameWriter.write(request, callback: 3, into: &$0) }
        #expect(frame == ClientFrame(callback: 3, request: .history(request)))
    }

    @Test func `the short frames, one after the other in one buffer`() throws {
        var buffer = ByteBuffer()
        ClientFrameWriter.write(AuthenticateRequest(token: "a.b"), callback: 1, into: &buffer)
        ClientFrameWriter.write(UpdateRequest(clientData: .json(#"{"a": 1}"#)), callback: 2, into: &buffer)
        ClientFrameWriter.write(RoomSelection.one(.r), callback: 3, into: &buffer)
        ClientFrameWriter.ping(callback: 5, into: &buffer)
        ClientFrameWriter.ping(into: &buffer)
        ClientFrameWriter.pong(into: &buffer)
        ClientFrameWriter.publish(PublishRequest(room: .r, message: .json("1")), callback: nil, into: &buffer)
        let frames = try String(buffer: buffer).split(separator: "\n").map { try FrameDecoder.decode(String($0)) }
        #expect(
            frames == [
                ClientFrame(callback: 1, request: .authenticate(token: "a.b")),
                ClientFrame(callback: 2, request: .update(clientData: .json(#"{"a": 1}"#))),
                ClientFrame(callback: 3, request: .unsubscribe(.one(.r))),
                ClientFrame(callback: 5, request: .ping),
                ClientFrame(callback: nil, request: .ping),
                ClientFrame(callback: nil, request: .pong),
                ClientFrame(callback: nil, request: .publish(PublishRequest(room: .r, message: .json("1")))),
            ]
        )
    }

    @Test func `a frame is as short as it can be`() {
        var buffer = ByteBuffer()
        ClientFrameWriter.publish(PublishRequest(room: .r, message: .json("1")), callback: 2, into: &buffer)
        ClientFrameWriter.write(HandshakeRequest(channel: "c"), callback: 0, into: &buffer)
        #expect(
            String(buffer: buffer) == """
                {"type":"publish","room":"r","message":1,"callback":2}
                {"type":"handshake","channel":"c","callback":0}

                """
        )
    }

    private static let hardName = "a \"quoted\" \\ room/é🙂\u{2028}" + String(repeating: "\"", count: 100)

    /// Writes behind other bytes, as into the buffer of a connection, and reads the one line.
    private static func readBack(_ write: (inout ByteBuffer) -> Void) throws -> ClientFrame {
        var buffer = ByteBuffer(string: "before")
        write(&buffer)
        buffer.moveReaderIndex(forwardBy: 6)
        let text = String(buffer: buffer)
        #expect(text.firstIndex(of: "\n") == text.indices.last)
        return try FrameDecoder.decode(text)
    }
}

/// The escapes of a JSON string.
@Suite struct JSONStringWritingTests {
    @Test func `each character comes back, and controls are written as escapes`() {
        let texts =
            (0..<0x100).compactMap { Unicode.Scalar($0).map(String.init) }
            + ["", "plain", "aaaaaaaa\"bbbbbbbb", "🙂\\é\n", String(repeating: "\u{1f}", count: 50)]
        for text in texts {
            var buffer = ByteBuffer(string: #"{"x":"#)
            buffer.writeJSONString(text)
            buffer.writeString("}")
            #expect(JSONFields.string(of: "x", in: buffer) == text)
            #expect(buffer.readableBytesView.allSatisfy { $0 >= 0x20 })
        }
        var buffer = ByteBuffer()
        buffer.writeJSONString("\"\\\n\r\t\u{0}\u{1f}\u{7f}é")
        #expect(String(buffer: buffer) == #""\"\\\n\r\t\u0000\u001f\#u{7f}é""#)
    }
}
