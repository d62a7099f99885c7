import Foundation
import NIOCore
import RoomModel
import Testing

@testable import RoomWire

/// What the broker writes is what a client reads.
@Suite struct BrokerRoundTripTests {
    private static let sender = Sender.member(ClientID("Luke"), clientData: .json(#"{"a":1.0}"#))
    private static let stamp = Stamp(id: .stamped, sender: Self.sender)
    private static let room = RoomName("a \"hard\" \\ name/é🙂")

    @Test(
        arguments: [nil, 0, 42, UInt64(Int64.max)] as [UInt64?],
        [#""hi""#, "null", #"{"b":1.0,"a":[1e400], "b":2}"#]
    )
    func `a message, live and from the history`(seq: UInt64?, message: String) throws {
        let writer = PublishWriter(room: Self.room)
        var live = ByteBuffer()
        let place = writer.write(.json(message), stamp: Self.stamp, seq: seq, into: &live)
        let tail = try #require(live.getSlice(at: place.lowerBound, length: place.count))
        var stored = ByteBuffer()
        writer.writeStored(tail, into: &stored)
        var history = ByteBuffer()
        writer.writeHistory(tail, index: 3, into: &history)
        for (buffer, isHistory) in [(live, false), (stored, false), (history, true)] {
            let delivered = DeliveredMessage(
                room: Self.room,
                id: .stamped,
                seq: seq,
                sender: Self.sender.json,
                message: .json(message),
                isHistory: isHistory,
                isRedacted: false
            )
            #expect(try BrokerFrameDecoder().decode(buffer) == .message(delivered))
        }
    }

    @Test(arguments: [(nil, false), (43, false), (43, true)] as [(UInt64?, Bool)])
    func `the acknowledgement of a publish`(seq: UInt64?, isDuplicate: Bool) throws {
        var buffer = ByteBuffer()
        AcknowledgementWriter.write(callback: -1, seq: seq, isDuplicate: isDuplicate, stamp: Self.stamp, into: &buffer)
        let reply = try BrokerFrameDecoder.reply(String(buffer: buffer))
        #expect(reply.callback == -1)
        #expect(try reply.receipt() == Receipt(id: .stamped, seq: seq, isDuplicate: isDuplicate))
    }

    @Test func `an error, with a callback and without`() throws {
        var error = RequestError(.rateLimited, "too \"fast\"", room: Self.room, messageID: .stamped)
        error.retryAfterMilliseconds = 7
        let reply = ReplyError(code: "rate_limited", text: "too \"fast\"", retryAfterMilliseconds: 7)
        let failure = BrokerFrame.failure(reply, room: Self.room, messageID: .stamped)
        #expect(try Self.readBack { $0.error(error) } == failure)
        error.callback = 5
        guard case .reply(let answer) = try Self.readBack({ $0.error(error) }) else {
            Issue.record("no reply")
            return
        }
        #expect(answer.callback == 5)
        #expect(answer.error == reply)
    }

    @Test(arguments: Code.allCases)
    func `a goodbye`(code: Code) throws {
        let frame = try Self.readBack { $0.goodbye(code, reason: "so", retryAfterMilliseconds: 9) }
        let goodbye = Goodbye(
            code: code.rawValue,
            reason: "so",
            reconnects: code.reconnects,
            retryAfterMilliseconds: 9
        )
        #expect(frame == .goodbye(goodbye))
    }

    @Test func `a removal from a room`() throws {
        let frame = try Self.readBack { frame in
            frame.field("type", "removed")
            frame.field("room", "lobby")
            frame.field("reason", "so")
        }
        #expect(frame == .removed(Removal(room: RoomName("lobby"), reason: "so", code: nil)))
    }

    @Test func `presence, members and a gap`() throws {
        let event = PresenceEvent(room: Self.room, kind: .left, member: Self.sender.json)
        #expect(
            try Self.readBack { $0.presence(type: "observable_member_leave", room: Self.room, member: Self.sender) }
                == .presence(event)
        )
        let members = ObservableMembers(room: Self.room, members: [Self.sender.json, Sender.broker.json], count: 9)
        #expect(
            try Self.readBack { $0.members(room: Self.room, MemberSnapshot([Self.sender, .broker], count: 9)) }
                == .members(members)
        )
        let epoch = Epoch(rawValue: 255)
        let gap = GapEvent(
            room: Self.room,
            epoch: epoch.description,
            from: 8,
            through: UInt64(Int64.max),
            reason: "epoch"
        )
        #expect(
            try Self.readBack {
                $0.gap(room: Self.room, epoch: epoch, from: 8, through: UInt64(Int64.max), reason: "epoch")
            }
                == .gap(gap)
        )
    }

    @Test func `every example on the protocol page is known`() throws {
        let lines = try Self.protocolPage().components(separatedBy: "```json broker\n").dropFirst()
            .flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n") }
        #expect(lines.count > 25)
        for line in lines {
            if case .unknown(let type) = try BrokerFrameDecoder.decode(String(line)) {
                Issue.record("unknown type \(type)")
            }
        }
    }

    private static func protocolPage() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
    }

    private static func readBack(_ fields: (inout FrameWriter) -> Void) throws(BrokerFrameError) -> BrokerFrame {
        var buffer = ByteBuffer()
        FrameWriter.write(into: &buffer, stamp: Self.stamp, fields)
        return try BrokerFrameDecoder().decode(buffer)
    }
}
