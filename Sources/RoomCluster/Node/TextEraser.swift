import Logging
import NIOCore
import RoomCore
import RoomDelivery
import RoomModel
import RoomWire

/// Erases redacted texts, and the messages of cleared rooms, from the logs of the partitions.
///
/// A redacted text stands there from shortly before its message's stamp on, wherever a node or a client has sent it again; ten minutes behind it
/// no message is known again, so that one which comes then is another message.
struct TextEraser: Sendable {
    let link: any ClusterLink
    let loop: any EventLoop
    let logger: Logger

    /// Who waits for an answer of the log repeats what it has sent for no longer than that, before a copy counts.
    private static let before: Int64 = 60_000
    /// So far the clock of a server may have been ahead when the message got its stamp.
    private static let farBefore: Int64 = 2 * 3_600_000
    private static let behind: Int64 = 11 * 60_000
    /// Records before the first one of the time that are looked at as well: they may be erased already, and have no time then.
    private static let margin: UInt64 = 64
    /// Replacements that are under way.
    private static let atOnce = 8

    /// Erases all texts that wait for it. What fails is tried again with the next call.
    func eraseAll(_ shards: [ShardRef]) async {
        for shard in shards {
            // a loop that is shut down has none
            let pending = (try? await shard.ask { $0.erasures }.get()) ?? []
            var done: Set<UniqueID> = []
            for next in pending where !done.contains(next.erasure.id) && !Task.isCancelled {
                // the same text in the same room is looked for once, and so are all cleared rooms of a partition
                let alike = pending.filter { next.isAlike($0) && !done.contains($0.erasure.id) }
                done.formUnion(alike.map(\.erasure.id))
                await self.erase(alike, on: shard)
            }
        }
    }

    private func erase(_ alike: [PendingErasure], on shard: ShardRef) async {
        guard let first = alike.first else { return }
        do {
            let records = try await self.erase(alike, by: shard)
            for pending in alike { shard.post { $0.textErased(pending.erasure.id, in: pending.partition) } }
            self.logger.info(
                first.erasure.text == nil
                    ? "the messages of cleared rooms were erased from the cluster's log"
                    : "a redacted text was erased from the cluster's log",
                metadata: [
                    "channel": "\(first.erasure.room.channel)", "room": "\(first.erasure.room.room)",
                    "erasures": "\(alike.count)", "records": "\(records)",
                ]
            )
        } catch {
            guard !Task.isCancelled else { return }
            self.logger.warning(
                "a text could not be erased from the cluster's log, which is tried again",
                metadata: [
                    "channel": "\(first.erasure.room.channel)", "room": "\(first.erasure.room.room)",
                    "reason": "\(error)",
                ]
            )
        }
    }

    /// - Returns: how many records had the text.
    private func erase(_ alike: [PendingErasure], by shard: ShardRef) async throws -> Int {
        guard let first = alike.first, let end = alike.map(\.erasure.place).max() else { return 0 }
        let (room, partition) = (first.erasure.room, first.partition)
        guard let text = first.erasure.text else {
            let clears = Dictionary(alike.map { ($0.erasure.room, $0.erasure.place) }, uniquingKeysWith: max)
            let eraser = RoomErasure(of: clears) { $0.withoutText }
            return try await self.erase(LogScan(time: 0...Int64.max, end: end, eraser: eraser), in: partition).count
        }
        let times = alike.map(\.erasure.id.milliseconds)
        let (oldest, newest) = (times.min() ?? 0, times.max() ?? 0)
        let near = (oldest - Self.before)...(newest + Self.behind)
        let far = (oldest - Self.farBefore)...(newest + Self.behind)
        // an imported message is in a record that came long behind its stamp
        for time in [near, far, 0...Int64.max] {
            let standing = try await self.standing(first, text, time, by: shard)
            let eraser = RecordErasure(of: text, in: room, standing: standing) { $0.without(text) }
            let erased = try await self.erase(LogScan(time: time, end: end, eraser: eraser), in: partition)
            if erased.isSomewhere { return erased.count }
        }
        return 0
    }

    /// - Returns: how many records were replaced, and whether any has or had the text.
    private func erase(_ scan: LogScan, in partition: Int) async throws -> (count: Int, isSomewhere: Bool) {
        guard let first = try await self.link.firstPlace(of: partition, since: scan.time.lowerBound) else {
            return (0, false)
        }
        var erased = (count: 0, isSomewhere: false)
        var next: LogOffset? = LogOffset(rawValue: max(first.rawValue, Self.margin + 1) - Self.margin)
        while let place = next {
            let found = try await scan.run(self.link.past(of: partition, on: self.loop), from: place)
            try await self.replace(found.records, in: partition)
            erased.count += found.records.count
            if found.isSomewhere { erased.isSomewhere = true }
            next = found.next
        }
        return erased
    }

    /// Several at once: each takes some answers of the servers.
    private func replace(_ records: [LogScan.Record], in partition: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, record) in records.enumerated() {
                if index >= Self.atOnce { try await group.next() }
                group.addTask {
                    try await self.link.replace(
                        record.place,
                        of: partition,
                        takenAt: record.time,
                        record.bytes,
                        by: record.erased
                    )
                }
            }
            try await group.waitForAll()
        }
    }

    /// The messages of this time that have the text and are not redacted.
    private func standing(
        _ pending: PendingErasure,
        _ text: TextMark,
        _ time: ClosedRange<Int64>,
        by shard: ShardRef
    ) async throws -> [UniqueID] {
        guard let stored = pending.stored else { return [] }
        let seq = pending.erasure.seq
        var (standing, low, high): ([UniqueID], UInt64?, UInt64?) = ([], seq, seq)
        while let before = low {
            let entries = try await self.page(.before(before), of: pending, stored, by: shard)
            standing += entries.filter { $0.has(text) }.map(\.id)
            low = entries.first.flatMap { time.lowerBound <= $0.id.milliseconds ? $0.seq : nil }
        }
        while let after = high {
            let entries = try await self.page(.after(after, through: .max), of: pending, stored, by: shard)
            standing += entries.filter { $0.has(text) }.map(\.id)
            high = entries.last.flatMap { $0.id.milliseconds <= time.upperBound ? $0.seq : nil }
        }
        return standing
    }

    private func page(
        _ range: LogQuery.Range,
        of pending: PendingErasure,
        _ stored: (log: LogID, history: HistorySettings),
        by shard: ShardRef
    ) async throws -> [LogEntry] {
        let query = LogQuery(
            log: stored.log,
            retention: stored.history,
            range: range,
            maxCount: 1_000,
            maxBytes: 1 << 20,
            now: pending.erasure.id.milliseconds,
            asker: .broker
        )
        return try await withCheckedThrowingContinuation { continuation in
            shard.post { shard in
                shard.read(query, in: pending.partition) { continuation.resume(with: $0.map(\.entries)) }
            }
        }
    }
}

extension PendingErasure {
    fileprivate func isAlike(_ other: PendingErasure) -> Bool {
        self.partition == other.partition && self.erasure.text == other.erasure.text
            && (self.erasure.text == nil || self.erasure.room == other.erasure.room)
    }
}

extension LogEntry {
    /// A tombstone in the place of a message with this text; `nil` where it has another one.
    fileprivate func without(_ text: TextMark) -> LogEntry? {
        self.has(text) ? self.withoutText : nil
    }

    /// A tombstone in the place of a message; `nil` where it is none.
    fileprivate var withoutText: LogEntry? {
        guard self.kind == .message, let tail = PublishWriter.tombstone(of: self.tail) else { return nil }
        return LogEntry(.tombstone, seq: self.seq, id: self.id, tail: tail)
    }

    fileprivate func has(_ text: TextMark) -> Bool {
        self.kind == .message && PublishWriter.text(ofTail: self.tail).map { TextMark(of: $0) } == text
    }
}
