import Foundation
import Logging
import RoomCore
import RoomModel
import RoomStore
import Synchronization

/// A node's own history: what its rooms have stored goes into SQLite behind them. Nobody waits for it.
final class Projection: Sendable {
    private struct Log: Sendable {
        var log: LogID?
        var isBusy = false
        var waiting: [LogEntry] = []
    }

    private let store: HistoryStore
    private let logs = Mutex<[RoomKey: Log]>([:])
    private let retention = HistorySettings(count: 1_000)

    init(at directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        self.store = try HistoryStore(
            .file(directory + "/history.sqlite"),
            bootID: "benchmark",
            logger: Logger(label: "benchmark"),
            now: { Int64(Date.now.timeIntervalSince1970 * 1_000) }
        )
    }

    func append(_ entries: [LogEntry], of key: RoomKey) {
        guard !entries.isEmpty else { return }
        self.logs.withLock { $0[key, default: Log()].waiting += entries }
        self.advance(key)
    }

    /// What it has not written yet.
    var waiting: Int { self.logs.withLock { $0.values.reduce(0) { $0 + $1.waiting.count + ($1.isBusy ? 1 : 0) } } }

    private func advance(_ key: RoomKey) {
        let next = self.logs.withLock { logs -> (log: LogID?, entries: [LogEntry])? in
            guard var log = logs[key], !log.isBusy, !log.waiting.isEmpty else { return nil }
            let entries = log.log == nil ? [] : log.waiting
            if log.log != nil { log.waiting = [] }
            log.isBusy = true
            logs[key] = log
            return (log.log, entries)
        }
        guard let next else { return }
        guard let log = next.log else {
            return self.store.open(key, retention: self.retention, for: .broker) { result in
                self.named((try? result.get())?.log, key)
            }
        }
        let batch = LogBatch(log: log, retention: self.retention, durability: .process, entries: next.entries)
        self.store.append(batch) { result in
            guard case .success(let receipt) = result else { return say("projection failed: \(result)") }
            self.named(receipt.log ?? log, key)
        }
    }

    private func named(_ log: LogID?, _ key: RoomKey) {
        self.logs.withLock { logs in
            logs[key]?.log = log
            logs[key]?.isBusy = false
        }
        self.advance(key)
    }
}
