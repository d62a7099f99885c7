import GRDB
package import RoomCore
import RoomModel

/// Measures how much is stored of each channel when somebody asks, once a minute at most: whoever asks before that gets what
/// was measured, and whoever asks meanwhile waits for the same measurement.
package actor StoredUsageMeter: StoredUsageSource {
    /// How long a measurement is given out, in milliseconds.
    static let lifetime: Int64 = 60_000

    private let store: HistoryStore
    private var newest: StoredUsage?
    private var isMeasuring = false
    private var waiting: [CheckedContinuation<Result<StoredUsage, EngineError>, Never>] = []

    package init(_ store: HistoryStore) {
        self.store = store
    }

    package func storedUsage() async throws(EngineError) -> StoredUsage {
        if let newest, abs(self.store.now() - newest.time) < Self.lifetime { return newest }
        if self.isMeasuring {
            return try await withCheckedContinuation { self.waiting.append($0) }.get()
        }
        self.isMeasuring = true
        let result = await self.measure()
        self.isMeasuring = false
        let waiting = self.waiting
        self.waiting = []
        for continuation in waiting { continuation.resume(returning: result) }
        self.newest = try result.get()
        return try result.get()
    }

    private func measure() async -> Result<StoredUsage, EngineError> {
        let time = self.store.now()
        do throws(EngineError) {
            var count = try await self.store.look { try StoredUsageCount($0) }
            while !count.isComplete {
                let before = count
                count = try await self.store.look { db in
                    var count = before
                    try count.add(db)
                    return count
                }
            }
            return .success(StoredUsage(time: time, channels: count.usage, fileBytes: self.store.fileBytes))
        } catch {
            return .failure(error)
        }
    }
}

extension HistoryStore {
    /// One of several short reads that nobody waits for, beside all writes.
    fileprivate func look<Value: Sendable>(
        _ look: @escaping @Sendable (Database) throws -> Value
    ) async throws(EngineError) -> Value {
        try await withCheckedContinuation { continuation in
            self.read(generation: nil, for: nil, { continuation.resume(returning: $0) }) { db, _ in try look(db) }
        }.get()
    }
}
