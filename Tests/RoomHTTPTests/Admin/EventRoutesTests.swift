import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery
@testable import RoomHTTP

@Suite struct EventRoutesTests {
    private let epoch = Epoch(rawValue: 0xabc)

    /// All that a reader gets of these events, in a stream that ends behind them.
    private func written(
        _ kinds: [BrokerEvent.Kind],
        isIncomplete: Bool = false,
        drained: Bool = false
    ) async throws -> String {
        let (events, event) = AsyncStream.makeStream(of: BrokerEvent.self)
        for (number, kind) in kinds.enumerated() {
            event.yield(BrokerEvent(number: UInt64(number + 1), time: 1_700_000_000_123, kind: kind))
        }
        let drain = DrainSignal()
        if drained { drain.turnOn() } else { event.finish() }
        let feed = EventFeed(
            opening: EventDocument.opening(hasGap: isIncomplete),
            events: events.map { [epoch = self.epoch] in EventDocument.text($0, of: epoch) },
            ending: EventDocument.overflow,
            heartbeat: .seconds(3_600),
            isAllowed: { true },
            drain: drain
        )
        let text = NIOLockedValueBox("")
        try await feed.write { part in text.withLockedValue { $0 += String(buffer: part) } }
        return text.withLockedValue(\.self)
    }

    @Test func `events are lines with an id, a word and an object`() async throws {
        let talk = ChannelID.make("talk")
        let text = try await self.written([
            .connected(talk, ClientID("a"), address: "192.0.2.1"), .disconnected(talk, ClientID("a"), .clientClosed),
            .disconnected(talk, ClientID("b"), .code(.slowConsumer)),
            .roomChanged(.make("r", channel: "talk"), members: 0),
            .channelChanged(talk), .channelRemoved(talk),
        ])
        let time = #""time":"2023-11-14T22:13:20.123Z","channel":"talk""#
        let expected = [
            ": roomline\nretry: 2000",
            "id: 0000000000000abc-1\nevent: connected\ndata: {\(time),\"client_id\":\"a\",\"address\":\"192.0.2.1\"}",
            "id: 0000000000000abc-2\nevent: disconnected\ndata: {\(time),\"client_id\":\"a\",\"code\":null,\"reason\":\"client_closed\"}",
            "id: 0000000000000abc-3\nevent: disconnected\ndata: {\(time),\"client_id\":\"b\",\"code\":\"slow_consumer\",\"reason\":\"slow_consumer\"}",
            "id: 0000000000000abc-4\nevent: room_changed\ndata: {\(time),\"room\":\"r\",\"members\":0}",
            "id: 0000000000000abc-5\nevent: channel_changed\ndata: {\(time)}",
            "id: 0000000000000abc-6\nevent: channel_removed\ndata: {\(time)}",
            "event: overflow\ndata: {}",
        ]
        #expect(text == expected.map { $0 + "\n\n" }.joined())
    }

    @Test func `what is missing is said first, and a drain is no overflow`() async throws {
        let text = try await self.written([], isIncomplete: true, drained: true)
        #expect(text == ": roomline\nretry: 2000\n\nevent: gap\ndata: {}\n\n")
    }

    @Test func `a reader names the last event that it has seen`() throws {
        let place = try EventDocument.place("0000000000000abc-17", in: self.epoch)
        #expect(place.after == 17 && place.isOfThisProcess)
        let other = try EventDocument.place("0000000000000abd-17", in: self.epoch)
        #expect(other.after == nil && !other.isOfThisProcess)
        for text in ["", "17", "x-1", "0000000000000abc-", "0000000000000abc-1-2", "0000000000000abc--1"] {
            #expect(throws: Problem.self) { try EventDocument.place(text, in: self.epoch) }
        }
    }

    @Test func `a reader that comes back is answered as an event stream`() async throws {
        let bench = try AdminBench()
        let name = "Last-Event-ID"
        bench.drain.turnOn()
        let answer = try await bench.call(.GET, "events", headers: [name: "0000000000000abd-1"])
        #expect(answer.headers[field: "Content-Type"] == "text/event-stream")
        #expect(answer.text.contains("event: gap"))
        #expect(try await bench.call(.GET, "events", headers: [name: "x"]).status == .badRequest)
    }

    // MARK: One room

    @Test func `a room is followed from the place that the reader names`() async throws {
        let bench = try AdminBench()
        bench.rooms.state.withLockedValue {
            $0.followed = [
                .gap(Gap(from: 3, through: 4, reason: .trimmed), self.epoch),
                .events(ByteBuffer(string: "id: 0000000000000abc:5\ndata: {}\n\n")),
            ]
        }
        let name = "Last-Event-ID"
        let answer = try await bench.call(
            .GET,
            "channels/talk/rooms/lobby/events",
            headers: [name: "0000000000000abc:2"]
        )
        #expect(answer.headers[field: "Content-Type"] == "text/event-stream")
        let gap = #"{"epoch":"0000000000000abc","from_seq":3,"to_seq":4,"reason":"trimmed"}"#
        #expect(
            answer.text == """
                : roomline
                retry: 2000

                id: 0000000000000abc:4
                event: gap
                data: \(gap)

                id: 0000000000000abc:5
                data: {}


                """
        )
        #expect(bench.rooms.state.withLockedValue(\.followedAfter) == Position(epoch: self.epoch, seq: 2))
        for text in ["", "5", "0000000000000abc-5"] {
            let answer = try await bench.call(.GET, "channels/talk/rooms/lobby/events", headers: [name: text])
            #expect(answer.status == .badRequest)
        }
        #expect(try await bench.call(.GET, "channels/none/rooms/lobby/events").status == .notFound)
    }

    @Test func `a stream ends with what it was opened with`() async throws {
        let (events, event) = AsyncStream.makeStream(of: ByteBuffer.self)
        let isAllowed = NIOLockedValueBox(true)
        let feed = EventFeed(
            opening: ByteBuffer(),
            events: events,
            ending: ByteBuffer(string: "ending"),
            heartbeat: .seconds(3_600),
            isAllowed: { isAllowed.withLockedValue(\.self) },
            drain: DrainSignal()
        )
        let text = NIOLockedValueBox("")
        event.yield(ByteBuffer(string: "first"))
        event.yield(ByteBuffer(string: "second"))
        try await feed.write { part in
            text.withLockedValue { $0 += String(buffer: part) }
            if String(buffer: part) == "first" { isAllowed.withLockedValue { $0 = false } }
        }
        #expect(text.withLockedValue(\.self) == "first")
    }
}
