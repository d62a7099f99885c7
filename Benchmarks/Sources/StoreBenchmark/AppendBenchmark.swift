import BenchmarkClock
import Foundation
import Logging
import NIOCore
import RoomCore
import RoomModel
import RoomStore
import Synchronization

/// Appends through `HistoryStore` as the rooms do: each room has one batch under way and sends the next when that one
/// is acknowledged. Prints acknowledged messages and how long batches waited.
struct AppendBenchmark {
    var rooms: Int
    var batch: Int
    var messages = 2_000_000
    var keepCount = 1_000_000
    var durability = Durability.process
    var isKeyed = false

    func run() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try HistoryStore(
            .file(directory + "/history.sqlite"),
            bootID: "benchmark",
            logger: Logger(label: "benchmark"),
            now: { Int64(Date.now.timeIntervalSince1970 * 1_000) }
        )
        let clock = ProcessClock()
        let waits = await withTaskGroup(of: [Duration].self) { group in
            for room in 0..<self.rooms {
                group.addTask { await self.fill(room, store) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let name =
            "\(self.rooms) room(s) x \(self.batch), keep \(self.keepCount), \(self.durability), keyed: \(self.isKeyed)"
        clock.report(name, count: waits.count * self.batch)
        let sorted = waits.sorted()
        func quantile(_ share: Double) -> Int { Int(sorted[Int(Double(sorted.count - 1) * share)] / .microseconds(1)) }
        print(
            "    wait in us: p50 \(quantile(0.5)), p99 \(quantile(0.99)), p99.9 \(quantile(0.999)), max \(quantile(1))"
        )
        let sizes = ["", "-wal"].map { suffix in
            (try? FileManager.default.attributesOfItem(atPath: directory + "/history.sqlite" + suffix)[.size] as? Int)
                ?? 0
        }
        print("    file: \(sizes[0] >> 20) MiB, wal: \(sizes[1] >> 20) MiB")
        await store.close()
    }

    private func fill(_ room: Int, _ store: HistoryStore) async -> [Duration] {
        guard let channel = ChannelID("benchmark") else { return [] }
        let retention = HistorySettings(count: self.keepCount)
        let opened = await withCheckedContinuation { continuation in
            store.open(
                RoomKey(channel: channel, room: RoomName("room\(room)")),
                retention: retention,
                keysSince: 0,
                for: .broker
            ) {
                continuation.resume(returning: $0)
            }
        }
        guard case .success(let log) = opened else { return [] }
        let tail = ByteBuffer(repeating: 0x61, count: 300)
        var waits: [Duration] = []
        var (seq, name) = (log.lastSeq, log.log)
        for _ in 0..<(self.messages / self.rooms / self.batch) {
            let now = Int64(Date.now.timeIntervalSince1970 * 1_000)
            let entries = (1...UInt64(self.batch)).map { index in
                LogEntry(
                    seq: seq + index,
                    id: UniqueID(milliseconds: now, sequence: UInt16(truncatingIfNeeded: index), random: seq),
                    key: self.isKeyed ? PublishKey(id: UniqueID(high: seq, low: index), digest: index) : nil,
                    tail: tail
                )
            }
            seq += UInt64(self.batch)
            let start = ContinuousClock.now
            let result = await withCheckedContinuation { continuation in
                store.append(
                    LogBatch(log: name, retention: retention, durability: self.durability, entries: entries)
                ) {
                    continuation.resume(returning: $0)
                }
            }
            guard case .success(let receipt) = result else { return waits }
            name = receipt.log ?? name
            waits.append(ContinuousClock.now - start)
        }
        return waits
    }
}
