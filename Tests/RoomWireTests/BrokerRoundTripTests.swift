import Foundation
import NIOCore
import RoomJSON
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
            #expect(try BrokerFrameDecoder().decode(buffer) == .entry(.message(delivered)))
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
        let reply = ReplyError(error)
        #expect(try Self.readBack { $0.error(error) } == .failure(reply))
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
        let goodbye = Goodbye(code, reason: "so", retryAfterMilliseconds: 9)
        #expect(try Self.readBack { $0.frame(goodbye) } == .goodbye(goodbye))
    }

    @Test func `a removal from a room`() throws {
        let removal = Removal(room: RoomName("lobby"), reason: "so", code: nil)
        #expect(try Self.readBack { $0.frame(removal) } == .removed(removal))
    }

    @Test func `presence, members and a gap`() throws {
        let event = PresenceEvent(room: Self.room, kind: .left, member: Self.sender.json)
        #expect(try Self.readBack { $0.frame(event) } == .presence(event))
        let members = ObservableMembers(room: Self.room, MemberSnapshot([Self.sender, .broker], count: 9))
        #expect(try Self.readBack { $0.frame(members) } == .members(members))
        #expect(members.present.members == [Self.sender.json, Sender.broker.json] && members.present.count == 9)
        let gap = GapEvent(room: Self.room, epoch: "e", from: 8, through: UInt64(Int64.max), reason: "epoch")
        #expect(try Self.readBack { $0.frame(gap) } == .gap(gap))
    }

    @Test func `frames of moderation`() throws {
        let mute = MuteEvent(room: nil, isMuted: true, reason: "so", until: 7)
        #expect(try Self.readBack { $0.frame(mute) } == .mute(mute))
        let unmute = MuteEvent(room: Self.room, isMuted: false)
        #expect(try Self.readBack { $0.frame(unmute) } == .mute(unmute))
        let cleared = ClearingEvent(room: Self.room, epoch: "e", sender: Self.sender.json)
        #expect(try Self.readBack { $0.frame(cleared) } == .cleared(cleared))
        var notice = NoticeEvent(.slowMode(seconds: 5), room: Self.room)
        notice.sender = Self.sender.json
        #expect(try Self.readBack { $0.frame(notice) } == .notice(notice))
        #expect((notice.code, notice.seconds) == ("slow_mode", 5))
    }

    @Test func `answers`() throws {
        let handshake = HandshakeReply(clientID: "a", resumeToken: "t", resumed: false, requiresAuthentication: true)
        #expect(try Self.answer(handshake).handshake() == handshake)
        let subscription = SubscribeReply(epoch: Epoch(rawValue: 255), seq: 0, recovered: true, presence: false)
        #expect(try Self.answer(subscription).subscription() == subscription)
        #expect(try Self.answer(ClearReply(epoch: Epoch(rawValue: 9))).clearing().position.epoch?.rawValue == 9)
        #expect(try Self.answer(RedactAllReply(count: 3, next: 9)).redactedMessages().next == 9)
        var rules = RoomRules()
        (rules.isLocked, rules.slowMode) = (true, 5)
        let key = Sanction.Key(.ban, of: .user("u7"), in: Self.room)
        let ban = Sanction(key: key, reason: nil, author: "mod", created: 5_000, expires: 7_001)
        let author = ShownAuthor(user: nil, clientID: "Luke")
        let state = ModerationStateReply(rules, [ban], total: 4, author: author)
        #expect(try Self.answer(state).moderationState() == state)
        #expect(state.sanctions.map(\.until) == [8])
    }

    @Test func `a page of the history`() throws {
        let writer = PublishWriter(room: Self.room)
        var live = ByteBuffer()
        let place = writer.write(.json("1"), stamp: Self.stamp, seq: 4, into: &live)
        let tail = try #require(live.getSlice(at: place.lowerBound, length: place.count))
        let page = HistoryReply(
            .stored([StoredTail](repeating: StoredTail(tail), count: 2), writer),
            gap: .lost(1...3),
            more: true
        )
        let read = try Self.answer(page).history()
        #expect(read.entries.count == 2 && read.gap == page.gap && read.more)
        guard case .message(let message) = read.entries[1] else { return }
        #expect(message.seq == 4 && message.message == .json("1") && message.isHistory)
    }

    private static func answer(_ answer: some DescribedObject) throws -> Reply {
        var buffer = ByteBuffer()
        FrameWriter.write(into: &buffer, stamp: Self.stamp) { $0.reply(to: 7, answer) }
        return try BrokerFrameDecoder.reply(String(buffer: buffer))
    }

    @Test func `every example on the protocol page is known`() throws {
        let lines = try Self.protocolPage().components(separatedBy: "```json broker\n").dropFirst()
            .flatMap { $0.components(separatedBy: "\n```")[0].split(separator: "\n") }
        #expect(lines.count > 25)
        for line in lines {
            if case .unknown(let type, _, _) = try BrokerFrameDecoder.decode(String(line)) {
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
