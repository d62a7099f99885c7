import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomDocuments
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

@Suite struct RoomRoutesTests {
    private let id = UniqueID(milliseconds: 1_700_000_000_456, sequence: 1, random: 9)

    @Test func `rooms are listed in pages`() async throws {
        let bench = try AdminBench()
        let names = ["a/b", "b ü", "c"]
        bench.rooms.state.withLockedValue { state in
            state.summaries = names.map { AdminRoomSummary(RoomName($0), members: 2) }
        }
        let first = try await bench.call(.GET, "channels/talk/rooms?limit=2")
        #expect(
            first.text
                == #"{"rooms":[{"name":"a/b","members":2},{"name":"b ü","members":2}],"total":3,"next":"YiDDvA"}"#
        )
        let second = try await bench.call(.GET, "channels/talk/rooms?limit=2&after=YiDDvA")
        #expect(second.text == #"{"rooms":[{"name":"c","members":2}],"total":3,"next":null}"#)
        let some = try await bench.call(.GET, "channels/talk/rooms?prefix=b+%C3%BC")
        #expect(some.text == #"{"rooms":[{"name":"b ü","members":2}],"total":3,"next":null}"#)
        #expect(try await bench.call(.GET, "channels/none/rooms").status == .notFound)
    }

    @Test func `the busiest rooms are one page`() async throws {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue {
            $0.summaries = [
                AdminRoomSummary(RoomName("b"), members: 2, messagesPerSecond: 12.25),
                AdminRoomSummary(RoomName("a"), members: 1, messagesPerSecond: 3),
            ]
        }
        let busiest = try await bench.call(.GET, "channels/talk/rooms?order=activity&limit=1")
        let room = #"{"name":"b","members":2,"messages_per_second":12.25}"#
        #expect(busiest.text == #"{"rooms":[\#(room)],"total":2,"next":null}"#)
        for query in ["order=members", "order=activity&prefix=a", "order=activity&after=YiDDvA"] {
            #expect(try await bench.call(.GET, "channels/talk/rooms?\(query)").status == .badRequest, "\(query)")
        }
    }

    @Test func `a room is shown by its encoded name`() async throws {
        let bench = try AdminBench()
        let key = RoomKey.make("a/b ü", channel: "talk")
        bench.rooms.state.withLockedValue { state in
            var room = AdminRoom(placeholder: ())
            (room.channel, room.name, room.epoch, room.seq) = ("talk", key.room.text, "0000000000000001", 9)
            (room.members, room.subscribers, room.observable) = (3, 2, true)
            room.history = .init(HistorySettings(count: 4, age: .milliseconds(2_050)))
            (room.messagesPerSecond, room.window) = (1.5, .init(bytes: 100, chunks: 1))
            state.details[key] = room
        }
        let shown = try await bench.call(.GET, "channels/talk/rooms/a%2Fb%20%C3%BC")
        #expect(
            shown.text == """
                {"channel":"talk","name":"a/b ü","members":3,"subscribers":2,"epoch":"0000000000000001","seq":9,\
                "history":{"count":4,"age_seconds":2.050},"observable":true,"messages_per_second":1.5,"rules":{"locked":false},"window":{"bytes":100,"chunks":1}}
                """
        )
        #expect(try await bench.call(.GET, "channels/talk/rooms/other").text.hasPrefix("unknown_room: "))
        #expect(try await bench.call(.GET, "channels/talk/rooms/%00").text.hasPrefix("room_name_invalid: "))
    }

    @Test func `a room that somebody has only asked for is none, unless it has messages`() async throws {
        let bench = try AdminBench()
        let key = RoomKey.make("r", channel: "talk")
        let epoch = Epoch(rawValue: 1)
        bench.rooms.state.withLockedValue { state in
            var room = AdminRoom(placeholder: ())
            room.hasHadMembers = false
            state.details[key] = room
        }
        func shown() async throws -> HTTPResponseStatus {
            try await bench.call(.GET, "channels/talk/rooms/r").status
        }
        #expect(try await shown() == .notFound, "it keeps no history")
        for (seq, status) in [(0, .notFound), (7, .ok)] as [(UInt64, HTTPResponseStatus)] {
            let history = HistoryFrames(frames: [], hasMore: false, epoch: epoch, seq: seq)
            bench.rooms.state.withLockedValue { $0.history = .success(history) }
            #expect(try await shown() == status)
        }
        bench.rooms.state.withLockedValue { $0.history = .failure(RequestError(.storageUnavailable, "later")) }
        #expect(try await shown() == .serviceUnavailable, "whether it has messages is not known")
        bench.rooms.state.withLockedValue { $0.details[key]?.hasHadMembers = true }
        #expect(try await shown() == .ok, "its members have left")
    }

    @Test func `members are listed with what they said, byte for byte`() async throws {
        let bench = try AdminBench()
        var ann = AdminMember(ClientID("a"))
        ann.clientDataBytes = ByteBuffer(string: #"{"n":1.0 }"#)
        ann.authDataBytes = ByteBuffer(string: "[1e400]")
        var connection = AdminMember.Connection(placeholder: ())
        (connection.address, connection.wireFormat) = ("192.0.2.1", "json")
        connection.connectedAt = AdminTime(milliseconds: 1_700_000_000_001)
        (connection.lag, connection.queuedBytes) = (4, 5)
        ann.connection = connection
        let members = [AdminMember(ClientID("b")), ann]
        bench.rooms.state.withLockedValue { $0.members[.make("r", channel: "talk")] = members }
        let first = try await bench.call(.GET, "channels/talk/rooms/r/members?limit=1")
        #expect(
            first.text == """
                {"members":[{"id":"a","client_data":{"n":1.0 },"auth_data":[1e400],"connection":{"address":"192.0.2.1",\
                "wire_format":"json","connected_at":"2023-11-14T22:13:20.001Z","lag":4,"queued_bytes":5}}],"total":2,"next":"YQ"}
                """
        )
        let second = try await bench.call(.GET, "channels/talk/rooms/r/members?limit=1&after=YQ")
        #expect(second.text == #"{"members":[{"id":"b","connection":null}],"total":2,"next":null}"#)
        #expect(try await bench.call(.GET, "channels/talk/rooms/r/members/b").text == #"{"id":"b","connection":null}"#)
        #expect(try await bench.call(.GET, "channels/talk/rooms/r/members/c").text.hasPrefix("unknown_member: "))
    }

    @Test func `history is asked for by seq and passed on as it is`() async throws {
        let bench = try AdminBench()
        #expect(try await bench.call(.GET, "channels/talk/rooms/r/history").text.hasPrefix("history_off: "))
        let frame = #"{"type":"publish","room":"r","message":{"a":1.0}}"#
        bench.rooms.state.withLockedValue { state in
            state.history = .success(
                HistoryFrames(frames: [ByteBuffer(string: frame)], hasMore: true, epoch: Epoch(rawValue: 2), seq: 8)
            )
        }
        let answer = try await bench.call(.GET, "channels/talk/rooms/r/history?before_seq=8&limit=1")
        #expect(answer.text == #"{"messages":[\#(frame)],"more":true,"epoch":"0000000000000002","seq":8}"#)
        _ = try await bench.call(.GET, "channels/talk/rooms/r/history?after_seq=0")
        let asked = bench.rooms.state.withLockedValue(\.asked).suffix(2)
        #expect(
            asked == [
                HistoryRequest(room: RoomName("r"), anchor: .before(8), limit: 1),
                HistoryRequest(room: RoomName("r"), anchor: .after(0), limit: 100),
            ]
        )
        for query in ["before_seq=1&after_seq=1", "before_seq=-1", "after_seq=9223372036854775808", "before_seq=%2B1"] {
            #expect(try await bench.call(.GET, "channels/talk/rooms/r/history?\(query)").status == .badRequest)
        }
    }

    @Test func `an administrator publishes under the name of the audit log`() async throws {
        let bench = try AdminBench()
        let key = "018bcfe5-6800-7000-8000-000000000001"
        bench.rooms.state.withLockedValue { [id] in $0.receipt = .success(ExternalPublishReceipt(id: id, seq: 3)) }
        let name = "Idempotency-Key"
        let answer = try await bench.call(
            .POST,
            "channels/talk/rooms/r/messages",
            " {\"a\" :\n1.0} ",
            headers: [name: "\"\(key)\""]
        )
        #expect(answer.text == #"{"id":"\#(self.id)","seq":3,"time":"2023-11-14T22:13:20.456Z","duplicate":false}"#)
        let published = try #require(bench.rooms.state.withLockedValue(\.published).first)
        #expect(published.message == "{\"a\" : 1.0}")
        #expect(published.sender == .admin("uid:7"))
        #expect(published.id == UniqueID(key.utf8))
        #expect(bench.audit.map(\.target) == ["talk/r"])

        bench.rooms.state.withLockedValue { state in
            state.receipt = .failure(RequestError(.rateLimited, "slow down", retryAfterMilliseconds: 1_500))
        }
        let refused = try await bench.call(.POST, "channels/talk/rooms/r/messages", "1")
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers[field: "Retry-After"] == "2")
        for (body, status) in [("", HTTPResponseStatus.badRequest), ("nope", .badRequest)] {
            #expect(try await bench.call(.POST, "channels/talk/rooms/r/messages", body).status == status)
        }
        bench.rooms.state.withLockedValue { $0.receipt = .failure(RequestError(.messageTooLarge, "too large")) }
        #expect(try await bench.call(.POST, "channels/talk/rooms/r/messages", "1").status == .contentTooLarge)
    }

    @Test func `a message is traced`() async throws {
        let bench = try AdminBench()
        let path = "trace/\(self.id)?channel=talk&room=a%2Fb"
        #expect(try await bench.call(.GET, path).text.hasPrefix("unknown_message: "))
        bench.rooms.state.withLockedValue { state in
            var trace = AdminTrace(placeholder: ())
            (trace.id, trace.channel, trace.room) = ("\(self.id)", "talk", "a/b")
            (trace.time, trace.epoch) = (AdminTime(milliseconds: self.id.milliseconds), "0000000000000003")
            (trace.seq, trace.stored, trace.passed) = (5, true, 7)
            trace.lagging = [.init(id: "x", lag: 2)]
            state.trace = trace
        }
        #expect(
            try await bench.call(.GET, path).text == """
                {"id":"\(self.id)","channel":"talk","room":"a/b","time":"2023-11-14T22:13:20.456Z",\
                "epoch":"0000000000000003","seq":5,"stored":true,"passed":7,"lagging":[{"id":"x","lag":2}]}
                """
        )
        for bad in ["trace/x?channel=talk&room=r", "trace/\(self.id)?room=r", "trace/\(self.id)?channel=talk"] {
            #expect(try await bench.call(.GET, bad).status == .badRequest)
        }
        #expect(try await bench.call(.GET, "trace/\(self.id)?channel=none&room=r").status == .notFound)
    }
}
