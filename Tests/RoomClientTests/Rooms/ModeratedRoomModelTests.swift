import NIOConcurrencyHelpers
import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient
@testable import RoomWire

/// Random lives of a room in which moderators are at work, and of a client that loses its connection and reads slowly: it is told of
/// every entry once and in order, shows no message that it was told is gone, and nothing of before a clearing after it.
struct ModeratedRoomModelTests {
    /// One life of the room's log. Its places count from 1.
    private struct Log {
        /// A redaction's target; `nil` for a message.
        var entries: [UInt64?] = []
        var oldest: UInt64 = 1
        var last: UInt64 { UInt64(self.entries.count) }
        var redacted: Set<UInt64> { Set(self.entries.compactMap(\.self)) }

        func target(of seq: UInt64) -> UInt64? { self.entries[Int(seq - 1)] }
    }

    private struct Run {
        var random: SeededRandom
        let room: JoinedRoom
        let fetches = NIOLockedValueBox<[FeedBuffer.Fetch]>([])
        var epoch: UInt64 = 1
        var logs: [UInt64: Log] = [1: Log()]
        /// So far the present connection has brought the log; `nil` without a connection.
        var sent: UInt64? = 0
        // What the reader knows.
        var told: (epoch: UInt64, seq: UInt64) = (1, 0)
        var shown: Set<UInt64> = []
        var buried: Set<UInt64> = []

        init(seed: UInt64) {
            self.random = SeededRandom(seed: seed)
            let limit = RoomClient.Configuration.FeedBuffer(count: 1 + self.random.below(12), bytes: 100_000)
            let fetches = self.fetches
            let onFetch = { @Sendable (_: Feed, fetch: FeedBuffer.Fetch) in fetches.withLockedValue { $0.append(fetch) }
            }
            let events = Feed(limit: limit, members: { [] }, onFetch: onFetch)
            let messages = Feed(limit: limit, members: { [] }, onFetch: { _, _ in })
            let name = RoomName("lobby")
            let log = SequenceTracker(historyCount: 0)
            self.room = JoinedRoom(
                name,
                membershipID: 1,
                asksPresence: true,
                log: log,
                state: SharedRoomState(),
                messages: messages,
                events: events
            )
            self.room.subscribed(.make(0, epoch: 1))
        }

        private var log: Log {
            get { self.logs[self.epoch] ?? Log() }
            set { self.logs[self.epoch] = newValue }
        }

        mutating func step() async throws {
            switch self.random.below(20) {
            case 0...6: self.log.entries.append(nil)
            case 7...8: self.redact()
            case 9: if self.random.chance(10) { self.clear() }
            case 10: if self.random.chance(40) { self.sent = nil }
            case 11: if self.sent == nil { self.comeBack() }
            case 12...14: self.deliver(self.random.below(8))
            case 15: self.repeatLast()
            case 16: self.log.oldest = min(self.log.last + 1, self.log.oldest + UInt64(self.random.below(3)))
            case 17: self.answer()
            default: try await self.read(self.random.below(8))
            }
        }

        // MARK: The broker

        private mutating func redact() {
            let log = self.log
            guard log.last >= log.oldest else { return }
            let target = log.oldest + UInt64(self.random.below(Int(log.last - log.oldest + 1)))
            guard log.target(of: target) == nil, !log.redacted.contains(target) else { return }
            self.log.entries.append(target)
        }

        private mutating func clear() {
            self.epoch += 1
            self.logs[self.epoch] = Log()
            guard self.sent != nil else { return }
            self.sent = 0
            let epoch = Epoch.make(self.epoch).description
            self.room.received(ClearingEvent(room: self.room.name, epoch: epoch, seq: 0, sender: Self.sender))
        }

        private mutating func comeBack() {
            guard let since = self.room.log.request.since, let epoch = since.epoch else { return }
            self.room.subscribed(.make(self.log.last, epoch: self.epoch))
            self.sent = self.log.last
            guard epoch.rawValue == self.epoch else {
                return self.room.received(.make(1, self.log.last, epoch: self.epoch, "cleared"))
            }
            self.sent = max(since.seq, self.log.oldest - 1)
            if since.seq + 1 < self.log.oldest {
                self.room.received(.make(since.seq + 1, self.log.oldest - 1, epoch: self.epoch))
            }
        }

        private mutating func deliver(_ count: Int) {
            for _ in 0..<count {
                guard let sent = self.sent, sent < self.log.last else { return }
                self.sent = sent + 1
                self.receive(sent + 1)
            }
        }

        private func repeatLast() {
            if let sent = self.sent, sent >= self.log.oldest { self.receive(sent) }
        }

        private func receive(_ seq: UInt64) {
            self.room.received(self.entry(seq))
        }

        private func entry(_ seq: UInt64) -> StoredEntry {
            if let target = self.log.target(of: seq) {
                return .redaction(
                    RedactionEvent(
                        room: self.room.name,
                        id: self.id(seq),
                        seq: seq,
                        targetSeq: target,
                        targetID: self.id(target),
                        reason: nil,
                        sender: Self.sender
                    )
                )
            }
            let isRedacted = self.log.redacted.contains(seq)
            return .message(
                DeliveredMessage(
                    room: self.room.name,
                    id: self.id(seq),
                    seq: seq,
                    sender: Self.sender,
                    message: ByteBuffer(string: isRedacted ? "null" : "\(seq)"),
                    isHistory: false,
                    isRedacted: isRedacted
                )
            )
        }

        private func id(_ seq: UInt64) -> UniqueID { .make(self.epoch << 16 | seq) }
        private static let sender = ByteBuffer(string: #"{"id":"bob"}"#)

        /// What the history answers to a reader that has caught up.
        private func answer() {
            guard self.sent != nil, !self.fetches.withLockedValue(\.isEmpty) else { return }
            let fetch = self.fetches.withLockedValue { $0.removeFirst() }
            guard fetch.epoch == self.room.log.position?.epoch else { return self.room.events.fetchFailed(fetch) }
            let first = max(self.log.oldest, fetch.after + 1)
            let page = first <= self.log.last ? Array((first...self.log.last).prefix(fetch.limit)) : []
            let entries = page.map { self.room.incoming(self.entry($0)) }
            let hasMore = (page.last ?? self.log.last) < self.log.last
            self.room.events.fetched(entries, gap: nil, hasMore: hasMore, of: fetch)
        }

        // MARK: The reader

        private mutating func read(_ count: Int) async throws {
            for _ in 0..<count where self.room.events.unread.count > 0 {
                guard let event = await self.room.events.next() else { return }
                try self.hear(event)
            }
        }

        private mutating func hear(_ event: IncomingEvent) throws {
            switch event {
            case .message(let message):
                let seq = try self.advance(message.position)
                let isGone = self.logs[self.told.epoch]?.redacted.contains(seq) ?? false
                if message.isRedacted {
                    try #require(isGone)
                } else {
                    try #require(!self.buried.contains(seq) && self.shown.insert(seq).inserted)
                }
            case .redacted(let redaction):
                let seq = try self.advance(Position(redaction.position))
                try #require(self.logs[self.told.epoch]?.target(of: seq) == redaction.messageSeq)
                self.buried.insert(redaction.messageSeq)
            case .cleared(let position, _): try self.beginAnew(position.epoch, at: 0)
            case .gap(let gap):
                if let seqs = gap.seqs {
                    if self.told.seq == .max { self.told.seq = seqs.lowerBound - 1 }
                    try #require(Epoch(gap.epoch)?.rawValue == self.told.epoch && seqs.lowerBound == self.told.seq + 1)
                    self.told.seq = seqs.upperBound
                } else {
                    try #require(gap.reason == .cleared)
                    try self.beginAnew(Epoch(gap.epoch), at: nil)
                }
            case .members, .joined, .left, .updated, .notice, .muteChanged: Issue.record("nobody told that")
            }
        }

        private mutating func advance(_ position: Position?) throws -> UInt64 {
            let position = try #require(position)
            // After a gap that cannot be counted the room goes on anywhere.
            if self.told.seq == .max { self.told.seq = position.seq - 1 }
            try #require(position.epoch?.rawValue == self.told.epoch && position.seq == self.told.seq + 1)
            self.told.seq = position.seq
            return position.seq
        }

        private mutating func beginAnew(_ epoch: Epoch?, at seq: UInt64?) throws {
            let epoch = try #require(epoch).rawValue
            try #require(epoch > self.told.epoch)
            self.told = (epoch, seq ?? .max)
            (self.shown, self.buried) = ([], [])
        }

        /// The connection holds, and the reader reads on.
        mutating func finish() async throws {
            if self.sent == nil { self.comeBack() }
            self.log.entries.append(nil)
            for _ in 0..<10_000 where self.told != (self.epoch, self.log.last) {
                self.deliver(100)
                try await self.read(3)
                self.answer()
            }
            #expect(self.told == (self.epoch, self.log.last))
            // Of what was shown and taken away, the reader knows.
            #expect(self.shown.intersection(self.log.redacted).isSubset(of: self.buried))
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `everything is shown once or taken away, and in order`(seed: UInt64) async throws {
        var run = Run(seed: seed)
        for _ in 0..<600 { try await run.step() }
        try await run.finish()
    }
}
