import RoomCore
import RoomModel
import Testing

@testable import RoomStore

/// Who waits for whom in the store, as counts of jobs and bytes.
struct TurnsTests {
    private static func job(
        _ lane: WriteQueue.Lane,
        bytes: Int = 100,
        entries: Int = 1,
        of payer: String? = nil
    ) -> WriteJob {
        WriteJob(
            generation: nil,
            lane: lane,
            durability: .process,
            payer: payer.flatMap { try? .room(.make($0)) },
            entries: entries,
            bytes: bytes
        ) { _ in
            {}
        } failed: { _ in
        }
    }

    private static func queue(_ jobs: [(WriteQueue.Lane, count: Int)], bytes: Int = 100) -> WriteQueue {
        var queue = WriteQueue()
        for (lane, count) in jobs { for _ in 0..<count { _ = queue.append(Self.job(lane, bytes: bytes)) } }
        return queue
    }

    @Test func `a batch is in the next transaction, however many new rooms wait`() {
        var queue = Self.queue([(.newLog, 5_000), (.upkeep, 500), (.log, 1)])
        let first = queue.take()
        #expect(first.count { $0.lane == .log } == 1)
        #expect(first.count { $0.lane == .newLog } == 32)
        #expect(first.count { $0.lane == .upkeep } == 1)
        var total = first.count
        while !queue.isEmpty {
            let jobs = queue.take()
            #expect(!jobs.isEmpty && jobs.count <= 33)
            total += jobs.count
        }
        #expect(total == 5_501)
    }

    @Test func `a transaction takes a bounded number of rooms and bytes`() {
        var queue = Self.queue([(.log, 5_000)])
        #expect(queue.take().count == 1_024)
        var large = Self.queue([(.log, 100), (.newLog, 100)], bytes: 200_000)
        let jobs = large.take()
        #expect(jobs.map(\.lane) == Array(repeating: .log, count: 6) + [.newLog])
        #expect(jobs.reduce(0) { $0 + $1.bytes } <= WriteQueue.bytes + 2 * 200_000)
    }

    @Test func `a transaction takes a bounded number of messages`() {
        var queue = WriteQueue()
        for _ in 0..<100 { _ = queue.append(Self.job(.log, bytes: 1_000, entries: 500)) }
        _ = queue.append(Self.job(.newLog))
        #expect(queue.take().map(\.entries) == [500, 500, 500, 500, 500, 1])
        // one batch is not divided
        var large = WriteQueue()
        for _ in 0..<2 { _ = large.append(Self.job(.log, entries: 5_000)) }
        #expect(large.take().count == 1)
    }

    @Test(arguments: [WriteQueue.Lane.log, .newLog])
    func `who has little to store is in the next transaction, whatever others have waiting`(lane: WriteQueue.Lane) {
        var queue = WriteQueue()
        // more at a time than a transaction takes, and all the time
        func flood() { for _ in 0..<100 { _ = queue.append(Self.job(lane, bytes: 50_000, entries: 500, of: "flood")) } }
        flood()
        for number in 1...50 {
            _ = queue.append(Self.job(lane, entries: number, of: "ann"))
            flood()
            let jobs = queue.take()
            #expect(jobs.contains { $0.entries == number })
        }
        // nor is a flood that is held up forgotten
        for _ in 0..<5_000 where !queue.isEmpty {
            _ = queue.append(Self.job(lane, entries: 1, of: "ann"))
            let jobs = queue.take()
            #expect(jobs.contains { $0.entries == 500 } || queue.isEmpty)
        }
        #expect(queue.isEmpty)
    }

    @Test func `those who have much to store share the transactions`() {
        var queue = WriteQueue()
        for _ in 0..<1_000 { _ = queue.append(Self.job(.log, bytes: 50_000, entries: 100, of: "large")) }
        for _ in 0..<1_000 { _ = queue.append(Self.job(.log, bytes: 5_000, entries: 10, of: "small")) }
        var bytes = (large: 0, small: 0)
        for _ in 0..<8 {
            for job in queue.take() {
                if job.entries == 100 { bytes.large += job.bytes } else { bytes.small += job.bytes }
            }
        }
        #expect(bytes.small > bytes.large / 3 && bytes.small < bytes.large * 3)
    }

    @Test func `what waits for the appends before it is behind all of them, and before those after it`() {
        var queue = WriteQueue()
        for number in 1...20 { _ = queue.append(Self.job(.newLog, entries: number, of: "user\(number % 3)")) }
        _ = queue.append(Self.job(.newLog, entries: 0))
        _ = queue.append(Self.job(.newLog, entries: 21, of: "ann"))
        let entries = queue.take().map(\.entries)
        #expect(Set(entries.prefix(20)) == Set(1...20))
        #expect(entries.suffix(2) == [0, 21])
    }

    @Test func `too many new rooms are refused, others are not, nor what waits for them`() {
        var queue = Self.queue([(.newLog, 10_000), (.note, 10_000)])
        var waiting = Self.job(.newLog, bytes: 0)
        waiting.entries = 0
        var taken = [Self.job(.newLog), Self.job(.note), Self.job(.log), Self.job(.change), waiting].map {
            queue.append($0)
        }
        _ = queue.take()
        taken += [queue.append(Self.job(.newLog)), queue.append(Self.job(.note))]
        #expect(taken == [false, false, true, true, true, true, true])
    }

    @Test func `nobody takes all places of new rooms`() {
        var queue = WriteQueue()
        let flood = (0..<20_000).count { _ in queue.append(Self.job(.newLog, of: "flood")) }
        #expect(flood == 10_000)
        let ann = (0..<100).count { _ in queue.append(Self.job(.newLog, of: "ann")) }
        #expect(ann == 16)
        #expect(queue.take().count == 32)
    }

    @Test func `a batch is in the next transaction, whatever is to be cleared or waits`() {
        var queue = Self.queue([
            (.newLog, 5_000), (.change, 3), (.newLog, 10), (.upkeep, 9), (.note, 500), (.log, 1),
        ])
        let jobs = queue.take()
        #expect(jobs.first?.lane == .log)
        #expect(jobs.count { $0.lane == .change } == 3)
    }

    @Test func `clears that wait share transactions`() {
        var queue = Self.queue([(.change, 200)], bytes: 4_096)
        #expect([queue.take().count, queue.take().count, queue.take().count, queue.take().count] == [64, 64, 64, 8])
        var large = Self.queue([(.change, 20)], bytes: 400_000)
        #expect(large.take().count == 3)
    }

    @Test func `rooms that wait for the file do so together, whatever else is stored`() {
        var queue = Self.queue([(.log, 20), (.newLog, 100), (.upkeep, 5), (.opening, 3_000)], bytes: 100_000)
        #expect(queue.take().count { $0.lane == .opening } == 3_000)
        #expect(queue.takeAll().count == 9 + 99 + 4)
        #expect(queue.isEmpty)
    }

    @Test func `those who read take turns, each with one read at a time`() {
        var turns = ReadTurns<String, Int>(limit: 2)
        for number in 0..<1_000 { turns.add(number, of: "flood") }
        turns.add(1, of: "ann")
        turns.add(2, of: "ann")
        turns.add(3, of: "bea")
        #expect(turns.next().map { [$0.asker, "\($0.job)"] } == ["flood", "0"])
        #expect(turns.next().map { [$0.asker, "\($0.job)"] } == ["ann", "1"])
        #expect(turns.next() == nil)
        turns.ended("ann")
        #expect(turns.next().map { [$0.asker, "\($0.job)"] } == ["bea", "3"])
        turns.ended("flood")
        #expect(turns.next().map { [$0.asker, "\($0.job)"] } == ["ann", "2"])
        turns.ended("bea")
        #expect(turns.next().map { [$0.asker, "\($0.job)"] } == ["flood", "1"])
        #expect(turns.waiting == 998)
    }

    @Test func `what is long waits for what is short, and for each other`() {
        var turns = ReadTurns<String, Int>(limit: 1)
        turns.addLong(10)
        turns.addLong(11)
        turns.add(1, of: "ann")
        turns.add(2, of: "bea")
        #expect(turns.nextLong() == nil)
        #expect(turns.next()?.job == 1)
        #expect(turns.nextLong() == nil)
        turns.ended("ann")
        #expect(turns.next()?.job == 2)
        #expect(turns.nextLong() == 10)
        #expect(turns.nextLong() == nil)
        turns.longEnded()
        turns.ended("bea")
        for number in 0..<1_000 { turns.add(number, of: "flood") }
        var passed = 0
        while turns.nextLong() == nil, turns.next() != nil {
            turns.ended("flood")
            passed += 1
        }
        #expect(passed == 100)
    }
}
