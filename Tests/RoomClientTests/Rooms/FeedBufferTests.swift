import NIOCore
import RoomModel
import Testing

@testable import RoomClient
@testable import RoomWire

struct FeedBufferTests {
    private static let sizeOfMessage = IncomingEvent.message(1).size
    private var buffer = FeedBuffer(limit: .init(count: 4, bytes: 1_000_000))

    private mutating func add(_ seqs: ClosedRange<UInt64>, epoch: UInt64 = 7) {
        for seq in seqs { self.buffer.add(.message(seq, epoch: epoch), epoch: .make(epoch)) }
    }

    private mutating func add(_ event: IncomingEvent, epoch: UInt64 = 7) {
        self.buffer.add(event, epoch: .make(epoch))
    }

    /// Reads, all or so many.
    private mutating func read(_ count: Int = .max) -> [String] {
        var read: [String] = []
        while read.count < count, let event = self.buffer.next() { read.append(event.summary) }
        return read
    }

    /// Full, and behind: 1 to 4 are buffered, 5 to `last` are missing.
    private mutating func fallBehind(through last: UInt64 = 10) {
        self.add(1...last)
    }

    private mutating func fetch() throws -> FeedBuffer.Fetch {
        let fetch = self.buffer.fetchIfDue()
        return try #require(fetch)
    }

    private mutating func answer(
        _ seqs: [UInt64],
        lost: ClosedRange<UInt64>? = nil,
        more: Bool,
        to fetch: FeedBuffer.Fetch
    ) {
        let gap = lost.map { HistoryGap(seqs: $0, reason: "lost") }
        self.buffer.fetched(seqs.map { .message($0) }, gap: gap, hasMore: more, of: fetch)
    }

    // MARK: Keeping up

    @Test mutating func `what fits is read in order`() {
        self.add(1...2)
        self.add(.joined(.make()))
        #expect(self.read() == ["1", "2", "+bob"])
        #expect(self.buffer.fetchIfDue() == nil)
    }

    @Test mutating func `bytes are bounded, but one message of any size fits`() {
        self.buffer = FeedBuffer(limit: .init(count: 100, bytes: 2 * Self.sizeOfMessage))
        let large = IncomingMessage.make(1, json: String(repeating: "1", count: 10_000))
        self.add(.message(large))
        self.add(2...2)
        #expect(self.read() == ["1"])
        self.add(.message(.make(nil)))
        #expect(self.buffer.count == 0)
    }

    @Test mutating func `what members say of themselves is counted`() throws {
        self.buffer = FeedBuffer(limit: .init(count: 100, bytes: 2_000))
        let wordy = Member.make(data: try JSON(encoding: String(repeating: "x", count: 800)))
        self.add(.members([wordy]))
        self.add(.joined(wordy))
        self.add(.updated(wordy))
        #expect(self.read() == ["members bob", "+bob"])
    }

    // MARK: Falling behind

    @Test mutating func `what was dropped is fetched when half of the rest is read`() throws {
        self.fallBehind(through: 6)
        #expect(self.buffer.fetchIfDue() == nil)
        #expect(self.read(1) == ["1"])
        #expect(self.buffer.fetchIfDue() == nil)
        #expect(self.read(1) == ["2"])
        let fetch = try self.fetch()
        #expect(fetch == .init(epoch: .make(), after: 4, through: 6, limit: 2))
        #expect(self.buffer.fetchIfDue() == nil)
        self.answer([5, 6], more: false, to: fetch)
        self.add(7...7)
        #expect(self.read() == ["3", "4", "5", "6"])
    }

    @Test mutating func `who has caught up reads live messages again`() throws {
        self.fallBehind(through: 5)
        #expect(self.read() == ["1", "2", "3", "4"])
        self.answer([5], more: false, to: try self.fetch())
        self.add(6...7)
        #expect(self.read() == ["5", "6", "7"])
        #expect(self.buffer.fetchIfDue() == nil)
    }

    @Test mutating func `messages that come while the history is asked are fetched next`() throws {
        self.fallBehind(through: 6)
        _ = self.read()
        let fetch = try self.fetch()
        self.add(7...8)
        self.answer([5, 6], more: false, to: fetch)
        #expect(self.read() == ["5", "6"])
        let next = try self.fetch()
        #expect(next == .init(epoch: .make(), after: 6, through: 8, limit: 4))
        self.answer([7, 8, 9], more: true, to: next)
        self.add(9...9)
        #expect(self.read() == ["7", "8", "9"])
    }

    @Test mutating func `a page that does not fit is fetched on from where it stopped`() throws {
        self.fallBehind(through: 10)
        _ = self.read()
        self.answer([5, 6, 7, 8, 9, 10], more: false, to: try self.fetch())
        #expect(self.read() == ["5", "6", "7", "8"])
        let next = try self.fetch()
        #expect(next.after == 8 && next.through == 10)
        self.answer([9, 10], more: false, to: next)
        #expect(self.read() == ["9", "10"])
    }

    @Test mutating func `what did not fit is not asked for again before something is read`() throws {
        self.buffer = FeedBuffer(limit: .init(count: 100, bytes: 1_000))
        self.add(1...1)
        let large = IncomingMessage.make(2, json: String(repeating: "2", count: 800))
        self.add(.message(large))
        self.buffer.fetched([.message(large)], gap: nil, hasMore: false, of: try self.fetch())
        #expect(self.buffer.fetchIfDue() == nil)
        #expect(self.read() == ["1"])
        self.buffer.fetched([.message(large)], gap: nil, hasMore: false, of: try self.fetch())
        #expect(self.read() == ["2"])
    }

    @Test mutating func `pages follow each other while there are more`() throws {
        self.fallBehind(through: 9)
        _ = self.read()
        self.answer([5], more: true, to: try self.fetch())
        self.answer([6, 7], more: true, to: try self.fetch())
        #expect(self.read() == ["5", "6", "7"])
        self.answer([8, 9], more: false, to: try self.fetch())
        #expect(self.read() == ["8", "9"])
        #expect(self.buffer.fetchIfDue() == nil)
    }

    // MARK: What the history does not have

    @Test(arguments: [
        ([] as [UInt64], ["gap 5-7 trimmed"]), ([7], ["gap 5-6 trimmed", "7"]), ([5], ["5", "gap 6-7 trimmed"]),
        ([6], ["gap 5-5 trimmed", "6", "gap 7-7 trimmed"]), ([9], ["gap 5-7 trimmed"]),
    ])
    mutating func `what is gone is told as a gap`(page: [UInt64], read: [String]) throws {
        self.fallBehind(through: 7)
        _ = self.read()
        self.answer(page, more: false, to: try self.fetch())
        #expect(self.read() == read)
        #expect(self.buffer.fetchIfDue() == nil)
    }

    @Test(
        arguments: [
            (5...6, [7, 8], false, ["gap 5-6 lost", "7", "8"]),
            (6...6, [7, 8], false, ["gap 5-5 trimmed", "gap 6-6 lost", "7", "8"]),
            (5...6, [8], false, ["gap 5-6 lost", "gap 7-7 trimmed", "8"]), (5...8, [], false, ["gap 5-8 lost"]),
            (5...20, [21], true, ["gap 5-8 lost"]), (0...4, [5, 6, 7, 8], false, ["5", "6", "7", "8"]),
        ] as [(ClosedRange<UInt64>, [UInt64], Bool, [String])]
    )
    mutating func `what is damaged is told as lost`(
        lost: ClosedRange<UInt64>,
        page: [UInt64],
        more: Bool,
        read: [String]
    ) throws {
        self.fallBehind(through: 8)
        _ = self.read()
        self.answer(page, lost: lost, more: more, to: try self.fetch())
        #expect(self.read() == read)
        #expect(self.buffer.fetchIfDue() == nil)
    }

    @Test mutating func `a page that has only damaged messages is not the end`() throws {
        self.fallBehind(through: 8)
        _ = self.read()
        self.answer([], lost: 5...6, more: true, to: try self.fetch())
        let next = try self.fetch()
        #expect(next.after == 6)
        self.answer([7, 8], more: false, to: next)
        #expect(self.read() == ["gap 5-6 lost", "7", "8"])
    }

    @Test mutating func `a page beyond what is missing says that all of it is gone`() throws {
        self.fallBehind(through: 7)
        _ = self.read()
        self.answer([20, 21], more: true, to: try self.fetch())
        #expect(self.read() == ["gap 5-7 trimmed"])
        #expect(self.buffer.fetchIfDue() == nil)
    }

    @Test mutating func `an empty page is not asked for again, whatever it says of more`() throws {
        self.fallBehind(through: 7)
        _ = self.read()
        let fetch = try self.fetch()
        self.add(8...8)
        self.answer([], more: true, to: fetch)
        #expect(self.read() == ["gap 5-7 trimmed"])
        let next = try self.fetch()
        #expect(next.after == 7 && next.through == 8)
    }

    @Test mutating func `a page that goes back repeats nothing`() throws {
        self.fallBehind(through: 7)
        _ = self.read()
        self.answer([2, 4, 5, 6, 7], more: false, to: try self.fetch())
        #expect(self.read() == ["5", "6", "7"])
    }

    @Test mutating func `without history everything dropped is a gap`() throws {
        self.fallBehind(through: 7)
        _ = self.read()
        let fetch = try self.fetch()
        self.add(8...8)
        self.buffer.fetchFailed(fetch)
        self.add(9...9)
        #expect(self.read() == ["gap 5-8 slow", "9"])
    }

    @Test mutating func `a log that goes back in its epoch is another one`() {
        self.fallBehind(through: 7)
        self.add(2...3)
        self.buffer.end()
        #expect(self.read() == ["1", "2", "3", "4", "gap 5-7 epoch", "gap 2-3 slow"])
    }

    @Test mutating func `a seq at the end of the numbers does not trap`() throws {
        self.buffer = FeedBuffer(limit: .init(count: 1, bytes: 1_000))
        self.add(UInt64.max - 2...UInt64.max)
        _ = self.read()
        let fetch = try self.fetch()
        self.answer([.max - 1], more: false, to: fetch)
        #expect(self.read() == ["\(UInt64.max - 1)", "gap \(UInt64.max)-\(UInt64.max) trimmed"])
    }
}
