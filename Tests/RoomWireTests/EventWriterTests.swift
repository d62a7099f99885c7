import NIOCore
import RoomModel
import RoomWire
import Testing

struct EventWriterTests {
    private static let epoch = Epoch(rawValue: 0x5f3c_9a1e_7b24_0d86)

    @Test func `an event has the place of its entry, and what is not an entry has none`() {
        var bytes = ByteBuffer()
        for seq in [42, 0] as [UInt64] {
            EventWriter.writeID(Self.epoch, seq: seq, into: &bytes)
            EventWriter.write(into: &bytes) { $0.writeString("{}\n") }
        }
        EventWriter.writeMark(Self.epoch, seq: 0, into: &bytes)
        EventWriter.writeRetry(milliseconds: 1_840, into: &bytes)
        EventWriter.writePing(into: &bytes)
        let expected = """
            id: 5f3c9a1e7b240d86:42
            data: {}

            data: {}

            id: 5f3c9a1e7b240d86:0

            retry: 1840

            : ping


            """
        #expect(String(buffer: bytes) == expected)
    }

    @Test func `each index belongs to one event`() {
        let events = ["HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n", ": ping\n\n", "id: x:1\ndata: {}\n\n", "data: 2\n\n"]
        let bytes = ByteBuffer(string: events.joined())
        var start = 0
        for event in events {
            let end = start + event.utf8.count
            for index in start..<end { #expect(EventWriter.end(ofEventAfter: index, in: bytes) == end) }
            start = end
        }
    }

    @Test(
        arguments: [
            ("5f3c9a1e7b240d86:42", 42), ("5f3c9a1e7b240d86:0", 0),
            ("5f3c9a1e7b240d86:9223372036854775807", 9_223_372_036_854_775_807),
        ] as [(String, UInt64)]
    )
    func `a place is read as it was written`(text: String, seq: UInt64) {
        #expect(Position(eventID: text) == Position(epoch: Self.epoch, seq: seq))
    }

    @Test(arguments: [
        "", ":", "42", "5f3c9a1e7b240d86", "5f3c9a1e7b240d86:", "5f3c9a1e7b240d86:-1", "5f3c9a1e7b240d86:+1",
        "5f3c9a1e7b240d86:1:2", "5f3c9a1e7b240d86:9223372036854775808", "5f3c9a1e7b240d8:1", "zf3c9a1e7b240d86:1",
        "5f3c9a1e7b240d86: 1",
    ])
    func `what is no place is not read`(text: String) {
        #expect(Position(eventID: text) == nil)
    }
}
