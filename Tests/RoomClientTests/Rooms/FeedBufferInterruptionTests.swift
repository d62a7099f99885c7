import NIOCore
import RoomModel
import Testing

@testable import RoomClient

/// What else happens in a room while a reader is behind: presence, ephemeral messages, gaps, another epoch.
struct FeedBufferInterruptionTests {
    private var buffer = FeedBuffer(limit: .init(count: 2, bytes: 1_000_000))

    private mutating func add(_ seqs: ClosedRange<UInt64>, epoch: UInt64 = 7) {
        for seq in seqs { self.buffer.add(.message(seq, epoch: epoch), epoch: .make(epoch)) }
    }

    private mutating func tell(_ event: IncomingEvent) {
        self.buffer.add(event, epoch: nil)
    }

    private mutating func lose(_ gap: RoomGap, epoch: UInt64 = 7) {
        self.buffer.add(.gap(gap), epoch: .make(epoch))
    }

    private mutating func read() -> [String] {
        var read: [String] = []
        while let event = self.buffer.next() { read.append(event.summary) }
        return read
    }

    private mutating func fetch() throws -> FeedBuffer.Fetch {
        let fetch = self.buffer.fetchIfDue()
        return try #require(fetch)
    }

    private mutating func answer(_ seqs: [UInt64], epoch: UInt64 = 7, to fetch: FeedBuffer.Fetch) {
        self.buffer.fetched(seqs.map { .message($0, epoch: epoch) }, gap: nil, hasMore: false, of: fetch)
    }

    // MARK: Presence

    @Test mutating func `presence that does not fit makes the members stale, until all is read`() {
        self.add(1...2)
        self.tell(.joined(.make()))
        #expect(self.buffer.takeStalePresence() == false)
        #expect(self.read() == ["1", "2"])
        #expect(self.buffer.takeStalePresence() == true)
        #expect(self.buffer.takeStalePresence() == false)
        self.tell(.left(.make()))
        #expect(self.read() == ["-bob"])
    }

    @Test mutating func `presence while behind is told after what was fetched`() throws {
        self.add(1...3)
        self.tell(.joined(.make()))
        #expect(self.read() == ["1", "2"])
        #expect(self.buffer.takeStalePresence() == false)
        self.tell(.left(.make()))
        self.answer([3], to: try self.fetch())
        #expect(self.buffer.takeStalePresence() == false)
        #expect(self.read() == ["3"])
        #expect(self.buffer.takeStalePresence() == true)
    }

    @Test mutating func `once the members are stale no single event overtakes them`() {
        self.add(1...2)
        self.tell(.joined(.make()))
        _ = self.buffer.next()
        self.tell(.left(.make()))
        #expect(self.read() == ["2"])
        #expect(self.buffer.takeStalePresence() == true)
    }

    // MARK: Ephemeral messages

    @Test mutating func `ephemeral messages are dropped while behind`() throws {
        self.add(1...2)
        self.buffer.add(.message(nil), epoch: .make())
        self.add(3...3)
        self.buffer.add(.message(nil), epoch: .make())
        #expect(self.read() == ["1", "2"])
        self.answer([3], to: try self.fetch())
        self.buffer.add(.message(nil), epoch: .make())
        #expect(self.read() == ["3", "~"])
    }

    // MARK: Gaps

    @Test mutating func `a gap has room when nothing else has`() {
        self.add(1...2)
        self.lose(.make(3...5))
        self.add(6...6)
        #expect(self.read() == ["1", "2", "gap 3-5 trimmed"])
    }

    @Test mutating func `a gap while behind is found by the fetch`() throws {
        self.add(1...3)
        self.lose(.make(4...8))
        self.add(9...9)
        _ = self.read()
        self.answer([3, 9], to: try self.fetch())
        #expect(self.read() == ["3", "gap 4-8 trimmed", "9"])
    }

    // MARK: Another epoch

    @Test mutating func `what was missing of an epoch that is over is a gap`() throws {
        self.add(1...4)
        _ = self.buffer.next()
        let fetch = try self.fetch()
        self.lose(.make(nil, epoch: 8, .epoch), epoch: 8)
        self.add(1...1, epoch: 8)
        self.answer([3, 4], to: fetch)
        #expect(self.read() == ["2", "gap 3-4 epoch", "gap ? epoch"])
        let next = try self.fetch()
        #expect(next == .init(epoch: .make(8), after: 0, through: 1, limit: 2))
        self.answer([1], epoch: 8, to: next)
        #expect(self.read() == ["1"])
    }

    @Test mutating func `another epoch without a word is one, too`() {
        self.add(1...4)
        self.add(1...1, epoch: 8)
        #expect(self.read() == ["1", "2", "gap 3-4 epoch"])
    }

    @Test mutating func `the answer to an earlier question is not taken for that to the present one`() throws {
        self.add(1...9)
        _ = self.read()
        let earlier = try self.fetch()
        // The log was shortened and is counted anew, in the same epoch.
        self.lose(.make(nil, .epoch))
        self.add(4...6)
        _ = self.read()
        let present = try self.fetch()
        self.answer([3, 4, 5, 6], to: earlier)
        self.buffer.fetchFailed(earlier)
        self.answer([4, 5, 6], to: present)
        #expect(self.read() == ["4", "5"])
    }
}
