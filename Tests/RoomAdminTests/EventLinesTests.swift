import NIOCore
import Testing

@testable import RoomAdmin

@Suite struct EventLinesTests {
    private static let stream =
        ": roomline\nretry: 2000\n\nid: a-1\nevent: connected\ndata: {\"x\":1}\n\n:\n\nevent: gap\ndata: {}\n\n"
    private static let events = [
        EventLines.Event(id: "a-1", type: "connected", data: "{\"x\":1}"), EventLines.Event(type: "gap", data: "{}"),
    ]

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func `events are read in pieces of any length`(length: Int) {
        var lines = EventLines()
        var events: [EventLines.Event] = []
        var rest = ByteBuffer(string: Self.stream)
        while let piece = rest.readSlice(length: min(length, rest.readableBytes)), piece.readableBytes > 0 {
            events += lines.read(piece)
        }
        #expect(events == Self.events)
    }
}
