import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomClient

/// Random lives of a buffer beside a room that remembers everything: whatever comes when, the reader is told of every stored
/// message once and in order, as itself or in a gap.
struct FeedBufferModelTests {
    /// A room with its history, and what its reader knows of it.
    private struct Run {
        var random: SeededRandom
        var buffer: FeedBuffer
        var epoch: UInt64 = 1
        /// The newest and the oldest stored message.
        var last: UInt64 = 0
        var oldest: UInt64 = 1
        /// The reader has been told up to here, of this epoch.
        var told: (epoch: UInt64, seq: UInt64) = (1, 0)
        /// Where the epochs before this one ended.
        var ends: [UInt64: UInt64] = [:]
        /// Of the present log: which places are redactions, and of which messages.
        var redactions: [UInt64: UInt64] = [:]
        var asked: [FeedBuffer.Fetch] = []
        var hasFailed = false
        var droppedPresence = false
        var presence = 0
        var presenceTold = 0

        init(seed: UInt64) {
            self.random = SeededRandom(seed: seed)
            let limit = RoomClient.Configuration.FeedBuffer(count: 1 + self.random.below(12), bytes: 2_000)
            self.buffer = FeedBuffer(limit: limit)
        }

        mutating func step() throws {
            switch self.random.below(22) {
            case 0...7: self.publish()
            case 8: self.buffer.add(.message(nil), epoch: .make(self.epoch))
            case 9: self.comeOrGo()
            case 10...13: try self.read(self.random.below(6))
            case 14...17: self.answer()
            case 18: if self.random.chance(30) { self.trim() }
            case 19: self.redact()
            case 20: if self.random.chance(10) { self.clear() }
            default: if self.random.chance(10) { self.replaceLog() }
            }
            self.askIfDue()
        }

        // MARK: The room

        private mutating func publish() {
            self.last += 1
            self.buffer.add(.message(self.last, epoch: self.epoch), epoch: .make(self.epoch))
        }

        private mutating func redact() {
            guard self.last >= self.oldest else { return }
            let target = self.oldest + UInt64(self.random.below(Int(self.last - self.oldest + 1)))
            guard self.redactions[target] == nil, !self.redactions.values.contains(target) else { return }
            self.last += 1
            self.redactions[self.last] = target
            self.buffer.add(self.entry(self.last), epoch: .make(self.epoch))
        }

        /// The entry of the present log as the history has it.
        private func entry(_ seq: UInt64) -> IncomingEvent {
            if let target = self.redactions[seq] { return .redacted(seq, of: target, epoch: self.epoch) }
            let message = IncomingMessage.make(seq, epoch: self.epoch)
            return .message(self.redactions.values.contains(seq) ? message.tombstone : message)
        }

        private mutating func clear() {
            (self.epoch, self.last, self.oldest, self.redactions) = (self.epoch + 1, 0, 1, [:])
            self.buffer.add(.cleared(epoch: self.epoch), epoch: .make(self.epoch))
        }

        private mutating func comeOrGo() {
            self.presence += 1
            self.buffer.add(.joined(.make("\(self.presence)")), epoch: nil)
        }

        private mutating func trim() {
            self.oldest = min(self.last + 1, self.oldest + UInt64(self.random.below(8)))
        }

        private mutating func replaceLog() {
            self.ends[self.epoch] = self.last
            (self.epoch, self.last, self.oldest, self.redactions) = (self.epoch + 1, 0, 1, [:])
            self.buffer.add(.gap(.make(nil, epoch: self.epoch, .epoch)), epoch: .make(self.epoch))
        }

        // MARK: The history

        private mutating func askIfDue() {
            if let fetch = self.buffer.fetchIfDue() { self.asked.append(fetch) }
        }

        private mutating func answer() {
            guard !self.asked.isEmpty else { return }
            let fetch = self.asked.removeFirst()
            if self.random.chance(5) {
                self.hasFailed = true
                return self.buffer.fetchFailed(fetch)
            }
            // Asked of the present log: an earlier one is gone.
            let first = max(self.oldest, fetch.after + 1)
            let page =
                first <= self.last ? Array((first...self.last).prefix(min(fetch.limit, 1 + self.random.below(8)))) : []
            self.buffer.fetched(
                page.map { self.entry($0) },
                gap: nil,
                hasMore: (page.last ?? self.last) < self.last,
                of: fetch
            )
        }

        // MARK: The reader

        mutating func read(_ count: Int) throws {
            for _ in 0..<count {
                if let event = self.buffer.next() {
                    try self.reader(hears: event)
                } else if self.buffer.takeStalePresence() {
                    self.presenceTold = self.presence
                }
                self.askIfDue()
            }
        }

        private mutating func reader(hears event: IncomingEvent) throws {
            switch event {
            case .message, .redacted:
                guard let position = event.position else { return }
                self.enter(try #require(position.epoch).rawValue)
                try #require(position.seq == self.told.seq + 1)
                self.told.seq = position.seq
                guard self.told.epoch == self.epoch else { return }
                let target = self.redactions[position.seq]
                if case .redacted(let redaction) = event {
                    try #require(redaction.messageSeq == target)
                } else {
                    try #require(target == nil)
                }
            case .cleared(let position, _):
                // Whatever came before counts no more, read or not.
                self.told = (try #require(position.epoch).rawValue, 0)
            case .gap(let gap):
                self.enter(try #require(Epoch(gap.epoch)).rawValue)
                guard let seqs = gap.seqs else { return }
                try #require(seqs.lowerBound == self.told.seq + 1)
                try self.check(gap.reason, seqs)
                self.told.seq = seqs.upperBound
            case .joined(let member):
                let number = try #require(Int(member.id))
                try #require(number == self.presenceTold + 1)
                self.presenceTold = number
            case .members, .left, .updated, .notice, .muteChanged: Issue.record("nobody told that")
            }
        }

        /// Nothing of an earlier epoch may be left out.
        private mutating func enter(_ epoch: UInt64) {
            while self.told.epoch < epoch {
                #expect(self.told.seq == self.ends[self.told.epoch])
                self.told = (self.told.epoch + 1, 0)
            }
        }

        private func check(_ reason: RoomGap.Reason, _ seqs: ClosedRange<UInt64>) throws {
            switch reason {
            case .trimmed: try #require(self.told.epoch < self.epoch || seqs.upperBound < self.oldest)
            case .slow: try #require(self.hasFailed)
            case .epoch: try #require(self.told.epoch < self.epoch)
            default: Issue.record("\(reason)")
            }
        }

        /// Nothing happens any more, and the reader reads on.
        mutating func finish() throws {
            for _ in 0..<10_000 {
                try self.read(3)
                self.answer()
                if self.told == (self.epoch, self.last), self.presenceTold == self.presence { break }
            }
            self.enter(self.epoch)
            #expect(self.told == (self.epoch, self.last))
            #expect(self.presenceTold == self.presence)
            #expect(self.buffer.fetchIfDue() == nil)
        }
    }

    @Test(arguments: UInt64(0)..<60)
    func `the reader hears of everything once and in order`(seed: UInt64) throws {
        var run = Run(seed: seed)
        for _ in 0..<600 { try run.step() }
        try run.finish()
    }
}
