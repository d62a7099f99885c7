import NIOConcurrencyHelpers
import Testing

@testable import RoomClient

@Suite(.timeLimit(.minutes(5)))
struct FeedTests {
    private let fetches = NIOLockedValueBox<[FeedBuffer.Fetch]>([])

    private func feed(count: Int = 4) -> Feed {
        let fetches = self.fetches
        return Feed(
            limit: .init(count: count, bytes: 1_000_000),
            members: { [.make("ann"), .make("bob")] },
            onFetch: { _, fetch in fetches.withLockedValue { $0.append(fetch) } }
        )
    }

    private static func add(_ seqs: ClosedRange<UInt64>, to feed: Feed) {
        for seq in seqs { feed.add(.message(seq), epoch: .make()) }
    }

    private static func read(_ feed: Feed) async -> [String] {
        var read: [String] = []
        while let event = await feed.next() { read.append(event.summary) }
        return read
    }

    /// A task that waits for the feed's next event: of two, the second one has ended.
    private static func reader(of feed: Feed) async throws -> Task<String?, Never> {
        let ended = Inbox<Int>()
        let tasks = [0, 1].map { number in
            Task {
                let event = await feed.next()
                ended.add(number)
                return event?.summary
            }
        }
        return tasks[1 - (try await ended.next())]
    }

    @Test func `what is buffered is read at once`() async throws {
        let feed = self.feed()
        Self.add(1...3, to: feed)
        feed.end()
        #expect(await Self.read(feed) == ["1", "2", "3"])
    }

    @Test func `an event wakes the reader`() async throws {
        let feed = self.feed()
        let reader = try await Self.reader(of: feed)
        Self.add(1...2, to: feed)
        #expect(await reader.value == "1")
        #expect(await feed.next()?.summary == "2")
    }

    @Test func `the end wakes the reader`() async throws {
        let feed = self.feed()
        let reader = try await Self.reader(of: feed)
        feed.end()
        #expect(await reader.value == nil)
        #expect(await feed.next() == nil)
    }

    @Test func `a cancelled reader ends, and the next one goes on`() async throws {
        let feed = self.feed()
        let reader = try await Self.reader(of: feed)
        reader.cancel()
        #expect(await reader.value == nil)
        Self.add(1...1, to: feed)
        #expect(await feed.next()?.summary == "1")
    }

    @Test func `a cancelled task reads nothing, and loses nothing`() async throws {
        let feed = self.feed()
        Self.add(1...1, to: feed)
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await feed.next()
        }
        #expect(await reader.value == nil)
        #expect(await feed.next()?.summary == "1")
    }

    @Test func `a second reader ends at once, the first goes on`() async throws {
        let feed = self.feed()
        let first = try await Self.reader(of: feed)
        #expect(await feed.next() == nil)
        Self.add(1...1, to: feed)
        #expect(await first.value == "1")
    }

    @Test func `a second reader that is cancelled does not end the first`() async throws {
        let feed = self.feed()
        let first = try await Self.reader(of: feed)
        for _ in 0..<100 {
            let second = Task { await feed.next() }
            second.cancel()
            #expect(await second.value == nil)
        }
        Self.add(1...1, to: feed)
        #expect(await first.value == "1")
    }

    @Test func `who reads half of a full buffer asks for what was dropped`() async throws {
        let feed = self.feed()
        Self.add(1...6, to: feed)
        _ = await feed.next()
        #expect(self.fetches.withLockedValue { $0 } == [])
        _ = await feed.next()
        let fetch = try #require(self.fetches.withLockedValue { $0 }.first)
        #expect(fetch == .init(epoch: .make(), after: 4, through: 6, limit: 2))
        feed.fetched([.message(5), .message(6)], gap: nil, hasMore: false, of: fetch)
        feed.end()
        #expect(await Self.read(feed) == ["3", "4", "5", "6"])
    }

    @Test func `a reader that waits is woken by the history`() async throws {
        let feed = self.feed(count: 1)
        Self.add(1...2, to: feed)
        _ = await feed.next()
        let fetch = try #require(self.fetches.withLockedValue { $0 }.first)
        let reader = try await Self.reader(of: feed)
        feed.fetched([.message(2)], gap: nil, hasMore: false, of: fetch)
        #expect(await reader.value == "2")
    }

    @Test func `a reader that waits is told the gap when there is no history`() async throws {
        let feed = self.feed(count: 1)
        Self.add(1...3, to: feed)
        _ = await feed.next()
        let fetch = try #require(self.fetches.withLockedValue { $0 }.first)
        let reader = try await Self.reader(of: feed)
        feed.fetchFailed(fetch)
        #expect(await reader.value == "gap 2-3 slow")
    }

    @Test func `a reader that missed presence is told the members when it has read all`() async throws {
        let feed = self.feed(count: 1)
        Self.add(1...1, to: feed)
        feed.add(.left(.make("eve")), epoch: nil)
        feed.end()
        #expect(await Self.read(feed) == ["1", "members ann bob"])
    }

    @Test func `nothing is asked for once the feed has ended, what is missing is told`() async throws {
        let feed = self.feed(count: 2)
        Self.add(1...5, to: feed)
        feed.end()
        #expect(await Self.read(feed) == ["1", "2", "gap 3-5 slow"])
        #expect(self.fetches.withLockedValue { $0 } == [])
    }

    @Test func `a reader gets each event once while another task adds them`() async throws {
        let feed = self.feed(count: 10_000)
        let reader = Task { await Self.read(feed) }
        for seq: UInt64 in 1...5_000 { feed.add(.message(seq), epoch: .make()) }
        feed.end()
        #expect(await reader.value == (1...5_000).map(String.init))
    }
}
