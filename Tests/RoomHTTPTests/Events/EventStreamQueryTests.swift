import NIOCore
import RoomDelivery
import RoomModel
import RoomWire
import Testing

@testable import RoomHTTP

@Suite struct EventStreamQueryTests {
    private func room(_ query: String, lastEventID: String? = nil) throws(Problem) -> EventStreamRoom? {
        try EventStreamQuery("/v3/events" + query).room(lastEventID: lastEventID, token: nil, limits: FrameLimits())
    }

    @Test(arguments: ["", "?"])
    func `without parameters the client posts what it wants`(query: String) throws {
        #expect(try self.room(query) == nil)
    }

    @Test func `all parameters, percent-encoded`() throws {
        let place = "since=5f3c9a1e7b240d86:4&history=7&overflow=latest"
        let room = try self.room("?channel=c&room=a%26b+c&name=Zo%C3%AB&\(place)")
        #expect(room?.room == RoomName("a&b c") && room?.handshake.channel == "c")
        #expect(room?.handshake.clientData.map { String(buffer: $0) } == #"{"name":"Zoë"}"#)
        #expect(room?.subscribe.since == Position(eventID: "5f3c9a1e7b240d86:4"))
        #expect(room?.subscribe.historyCount == 7 && room?.subscribe.overflow == .latest)
    }

    @Test func `the place that a browser comes back with counts more than the query`() throws {
        let query = "?channel=c&room=r&since=5f3c9a1e7b240d86:4"
        let place = "5f3c9a1e7b240d86:9"
        #expect(try self.room(query, lastEventID: place)?.subscribe.since == Position(eventID: place))
        #expect(try self.room(query, lastEventID: "")?.subscribe.since?.seq == 4)
        #expect(try self.room(query, lastEventID: "of another server")?.subscribe.since == Position(epoch: nil, seq: 0))
    }

    @Test(
        arguments: [
            ("?room=r", "missing_field"), ("?channel=c", "missing_field"), ("?channel=c&room=", "room_name_invalid"),
            ("?channel=c&room=r&room=s", "invalid_field"), ("?channel=c&room=r&since=4", "invalid_field"),
            ("?channel=c&room=r&history=x", "invalid_field"), ("?channel=c&room=r&history=-1", "invalid_field"),
            ("?channel=c&room=r&overflow=x", "invalid_field"), ("?channel=c&room=r&token=t", "unknown_field"),
            ("?channel=c&room=%zz", "malformed_request"), ("?channel=c&room=%ff", "malformed_request"),
        ]
    )
    func `what is wrong is told`(query: String, code: String) {
        let problem = #expect(throws: Problem.self) { try self.room(query) }
        #expect(problem?.code.word == code)
    }
}
