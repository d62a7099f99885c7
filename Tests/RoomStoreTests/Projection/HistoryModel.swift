import NIOCore
import RoomCluster
import RoomCore
import RoomModel
import RoomTestKit

@testable import RoomStore

/// What the rooms of a partition have stored, as lists.
struct HistoryModel {
    struct Log: Equatable {
        var epoch: Epoch
        var entries: [LogEntry] = []
    }

    private(set) var rooms: [RoomKey: Log] = [:]
    /// The texts that were taken back.
    private(set) var redacted: [String] = []

    mutating func apply(_ applied: Partition.Applied) {
        for batch in applied.batches { self.apply(batch) }
        for log in applied.logs where self.rooms[log.room]?.epoch != log.epoch {
            self.rooms[log.room] = Log(epoch: log.epoch)
        }
    }

    private mutating func apply(_ batch: Partition.Batch) {
        var log = self.rooms[batch.room] ?? Log(epoch: batch.view.epoch)
        if log.epoch != batch.view.epoch { log = Log(epoch: batch.view.epoch) }
        if batch.batch.needsCommit {
            log.entries += batch.logEntries.map { entry in
                LogEntry(entry.kind, seq: entry.seq, id: entry.id, tail: entry.tail)
            }
            for tombstone in batch.batch.tombstones {
                for index in log.entries.indices where log.entries[index].id == tombstone.id {
                    guard log.entries[index].kind == .message else { continue }
                    self.redacted.append(String(buffer: log.entries[index].tail))
                    log.entries[index].kind = .tombstone
                    log.entries[index].tail = tombstone.tail
                }
            }
        }
        self.rooms[batch.room] = log
    }

    /// The messages of a room that are served at this time.
    func served(_ room: Room, at time: Int64) -> [LogEntry] {
        guard let history = room.settings.history, let log = self.rooms[room.key], log.epoch == room.epoch else {
            return []
        }
        let newest = log.entries.suffix(history.count)
        return newest.filter { $0.id.milliseconds >= time - history.age.wholeMilliseconds }
    }
}
