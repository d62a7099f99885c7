import Foundation
import NIOCore
import RoomModel
import RoomTestKit
import RoomWire
import Testing

@testable import RoomClient

/// What moderators do, as a client hears of it.
@Suite(.timeLimit(.minutes(5)), .overEveryTransport)
struct ModerationEventTests {
    private static func join(
        _ broker: ScriptedBroker,
        _ client: RoomClient,
        seq: UInt64 = 0
    ) async throws -> (Room<JSON>, ScriptedConnection) {
        let joining = client.startJoining("lobby", history: 0)
        let link = try await broker.welcome()
        try await link.letIn(seq: seq)
        return (try await joining.value(), link)
    }

    @Test func `a redaction names its message, and moves the position`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client())
            try await link.deliver(1...2)
            var messages = room.messages.makeAsyncIterator()
            let message = try #require(await messages.next())
            try await link.redact(1, id: message.uniqueID, at: 3)
            try await link.deliver(4...4)
            var events = room.events.makeAsyncIterator()
            let first = try #require(await events.next())
            guard case .message(let tombstone) = first else {
                Issue.record("\(first)")
                return
            }
            #expect(tombstone.isRedacted && tombstone.json.description == "null" && tombstone.id == message.id)
            #expect(throws: RoomClientError.self) { try tombstone.body }
            _ = await events.next()
            guard case .redacted(let redaction) = await events.next() else {
                Issue.record("no redaction")
                return
            }
            #expect(redaction.messageID == message.id && redaction.messageSeq == 1 && redaction.reason == "spam")
            #expect(redaction.position.seq == 3)
            #expect(await room.readEvents(1) == ["4"])
            #expect(room.position?.seq == 4)
            // Neither a hole nor a repeat, for those who count.
            try await link.lose()
            let next = try await broker.welcome()
            #expect(try await next.letIn(seq: 6, recovered: true).body.since == .make(4))
            try await next.redact(2, id: .make(9), at: 4)
            try await next.redact(2, id: .make(9), at: 5)
            try await next.deliver(6...6)
            #expect(await room.readEvents(2) == ["5 takes 2", "6"])
        }
    }

    @Test func `who comes back gets tombstones and redactions in their places`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client())
            try await link.deliver(1...1)
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(seq: 4, recovered: true)
            try await next.send(next.tombstone(2))
            try await next.deliver(3...3)
            try await next.redact(2, id: .make(9), at: 4)
            #expect(await room.readEvents(4) == ["1", "xnull", "3", "4 takes 2"])
            #expect(await room.readMessages(3) == ["1", "xnull", "3"])
        }
    }

    @Test func `a page of the history covers redactions, which are no messages`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client(), seq: 9)
            async let page = room.history(before: 9, limit: 3)
            let asked = try await link.history()
            let entries = [link.redaction(6, of: 2), link.tombstone(7), link.redaction(8, of: 7)]
            try await link.answer(asked, with: entries, more: true)
            let answer = try await page
            #expect(answer.messages.map(\.isRedacted) == [true] && answer.messages.first?.seq == 7)
            #expect(answer.seqs == 6...8)
        }
    }

    @Test func `a reader that has fallen behind fetches redactions too`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client { $0.feedBuffer = .init(count: 2, bytes: 100_000) }
            let (room, link) = try await Self.join(broker, client)
            try await link.deliver(1...3)
            try await link.redact(1, id: .make(9), at: 4)
            async let read = room.readEvents(4)
            for await _ in room.messages.prefix(1) { break }
            for _ in 0..<2 {
                let asked = try await link.history()
                let entries = [link.message(3, "3"), link.redaction(4, of: 1)]
                try await link.answer(asked, with: entries, more: false)
            }
            #expect(await read == ["1", "2", "3", "4 takes 1"])
        }
    }

    @Test func `a cleared room begins anew`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client(), seq: 40)
            try await link.deliver(41...41)
            #expect(await room.readEvents(1) == ["41"])
            try await link.deliver(42...42)
            try await link.clear(epoch: 8)
            #expect(await room.readEvents(1) == ["cleared 8 0"])
            try await link.deliver(1...2)
            #expect(await room.readEvents(2) == ["1", "2"])
            #expect(room.position == RoomPosition(epoch: "0000000000000008", seq: 2))
            try await link.lose()
            let next = try await broker.welcome()
            #expect(try await next.subscribe().body.since == .make(2, epoch: 8))
        }
    }

    @Test func `a room that was cleared meanwhile is told as a gap`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client(), seq: 40)
            try await link.lose()
            let next = try await broker.welcome()
            try await next.letIn(epoch: 8, seq: 3, recovered: false)
            try await next.gap(1, 3, epoch: 8, "cleared")
            try await next.deliver(4...4)
            #expect(await room.readEvents(2) == ["gap ? cleared", "4"])
        }
    }

    @Test func `notices and mutes of a room are events of the room`() async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client())
            try await link.notify("slow down", code: "slow_mode", seconds: 10)
            try await link.mute(reason: "spam", until: 1_763_697_600)
            var events = room.events.makeAsyncIterator()
            guard case .notice(let notice) = await events.next() else {
                Issue.record("no notice")
                return
            }
            #expect(notice.code == .slowMode && notice.interval == .seconds(10))
            guard case .member(let sender) = notice.sender else {
                Issue.record("no sender")
                return
            }
            #expect(sender.id == "mod")
            guard case .muteChanged(let mute?) = await events.next() else {
                Issue.record("no mute")
                return
            }
            #expect(mute.until?.timeIntervalSince1970 == 1_763_697_600)
            try await link.mute(false)
            #expect(await room.readEvents(1) == ["unmuted"])
        }
    }

    @Test func `those of the channel are events of the client`() async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            var events = client.events.makeAsyncIterator()
            let (_, link) = try await Self.join(broker, client)
            try await link.notify("maintenance at noon", in: nil)
            try await link.mute(in: nil)
            try await link.mute(false, in: nil)
            guard case .notice(let notice) = await events.next() else {
                Issue.record("no notice")
                return
            }
            #expect(notice.text == "maintenance at noon" && notice.code == nil)
            #expect(await events.next() == .muteChanged(Mute(reason: nil, until: nil)))
            #expect(await events.next() == .muteChanged(nil))
            try await link.goodbye(.kicked)
            #expect(await events.next() == nil)
            for await event in client.events { Issue.record("\(event)") }
        }
    }

    @Test(arguments: [(Code.kicked, RoomClientError.Code.kicked), (.banned, .banned)])
    func `who is taken out of a room learns why`(code: Code, reason: RoomClientError.Code) async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client())
            try await link.remove(because: "spam", code)
            #expect(await room.readEvents() == [])
            #expect(room.endError?.code == reason)
        }
    }

    @Test(arguments: [(Code.kicked, "closed kicked"), (.banned, "closed banned")])
    func `who is let go from the channel does not come back`(code: Code, state: String) async throws {
        try await ScriptedBroker.with { broker in
            let client = try broker.client()
            let (room, link) = try await Self.join(broker, client)
            try await link.goodbye(code)
            #expect(await room.readEvents() == [])
            #expect(await client.state() == state)
            #expect(await failure { try await client.publish("x", to: "lobby") }?.code.rawValue == code.rawValue)
        }
    }

    @Test(arguments: [Code.muted, .roomLocked, .banned])
    func `a publish that is not allowed fails at once`(code: Code) async throws {
        try await ScriptedBroker.with { broker in
            let (room, link) = try await Self.join(broker, try broker.client())
            async let error = failure { try await room.publish(json: JSON("1")) }
            try await link.refuse(try await link.publish(), code)
            #expect(await error?.code.rawValue == code.rawValue)
        }
    }
}
