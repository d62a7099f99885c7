import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

/// What moderators do to what a reader has not read yet.
struct FeedBufferModerationTests {
    private var buffer = FeedBuffer(limit: .init(count: 4, bytes: 1_000_000))

    private mutating func add(_ events: IncomingEvent..., epoch: UInt64 = 7) {
        for event in events { self.buffer.add(event, epoch: .make(epoch)) }
    }

    private mutating func read() -> [String] {
        var read: [String] = []
        while let event = self.buffer.next() { read.append(event.summary) }
        return read
    }

    @Test mutating func `a message that was not read yet is not shown any more`() {
        self.add(.message(1), .message(2), .redacted(3, of: 1))
        let bytes = self.buffer.bytes
        #expect(bytes == [IncomingEvent.message(1), .message(2), .redacted(3, of: 1)].reduce(3) { $0 + $1.size })
        #expect(self.read() == ["x1", "2", "3 takes 1"])
        #expect(self.buffer.bytes == 0)
    }

    @Test mutating func `a redaction of what was read, or was never here, is told all the same`() {
        self.add(.message(5))
        #expect(self.read() == ["5"])
        self.add(.redacted(6, of: 5), .redacted(7, of: 1))
        #expect(self.read() == ["6 takes 5", "7 takes 1"])
    }

    @Test mutating func `the same seq of another log is another message`() {
        self.add(.message(1, epoch: 6), epoch: 6)
        self.add(.gap(.make(nil, .epoch)), .message(IncomingMessage.make(1).renamed), .redacted(2, of: 9))
        self.add(.redacted(3, of: 1))
        #expect(self.read() == ["x1", "gap ? epoch", "1", "2 takes 9"])
    }

    @Test mutating func `a redaction that did not fit is fetched in its place`() throws {
        self.add(.message(1), .message(2), .message(3), .message(4), .redacted(5, of: 3), .message(6))
        for _ in 0..<2 { _ = self.buffer.next() }
        let due = self.buffer.fetchIfDue()
        let fetch = try #require(due)
        #expect(fetch.after == 4 && fetch.through == 6)
        self.buffer.fetched([.redacted(5, of: 3), .message(6)], gap: nil, hasMore: false, of: fetch)
        #expect(self.read() == ["x3", "4", "5 takes 3", "6"])
    }

    @Test mutating func `after a clearing nothing of before is read but who is here`() {
        self.add(.message(1), .joined(.make()), .gap(.make(2...3)), .redacted(4, of: 1))
        self.add(.message(5), .message(6))
        self.add(.cleared(epoch: 8), .message(1, epoch: 8), epoch: 8)
        #expect(self.buffer.fetchIfDue() == nil)
        #expect(self.read() == ["+bob", "cleared 8 0", "1"])
        #expect(self.buffer.bytes == 0)
    }

    @Test mutating func `an answer of the history that comes after a clearing is of no use`() throws {
        self.add(.message(1), .message(2), .message(3), .message(4), .message(5))
        for _ in 0..<2 { _ = self.buffer.next() }
        let due = self.buffer.fetchIfDue()
        let fetch = try #require(due)
        self.add(.cleared(epoch: 8), epoch: 8)
        self.buffer.fetched([.message(5)], gap: nil, hasMore: false, of: fetch)
        #expect(self.read() == ["cleared 8 0"])
    }

    @Test mutating func `of mutes only the newest word counts, and it always fits`() {
        self.add(.message(1), .muteChanged(Mute(reason: "a", until: nil)), .message(2), .message(3))
        self.add(.muteChanged(nil), .muteChanged(Mute(reason: "b", until: nil)))
        #expect(self.read() == ["1", "2", "3", "muted b"])
        #expect(self.buffer.bytes == 0)
    }

    @Test mutating func `a notice is worth nothing to who is far behind`() {
        let notice = ModeratorNotice(text: "hear", code: nil, interval: nil, sender: .member(.make()))
        self.add(.notice(notice), .message(1), .message(2), .message(3), .notice(notice))
        #expect(self.read() == ["* hear", "1", "2", "3"])
    }
}

extension IncomingMessage {
    /// The same place, another message.
    fileprivate var renamed: IncomingMessage {
        IncomingMessage(
            id: .make(0xffff),
            position: self.position,
            sender: self.sender,
            json: self.json,
            isHistory: self.isHistory,
            isRedacted: self.isRedacted
        )
    }
}
