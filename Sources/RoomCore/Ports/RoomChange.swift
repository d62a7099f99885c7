import NIOCore
package import RoomModel

/// What the records of a partition have changed in what is stored of one room. What is stored of it in another epoch is removed.
package struct RoomChange: Equatable, Sendable {
    package let room: RoomKey
    package private(set) var epoch: Epoch
    /// How much of it is kept; `nil`: nothing.
    package private(set) var history: HistorySettings?
    /// Ascending without holes, and without keys: those are in the snapshot of the rooms and in the records behind it.
    package private(set) var entries: [LogEntry]
    /// The tombstones of messages that are stored already.
    package private(set) var tombstones: [Tombstone] = []
    /// Messages up to this one are not kept any more.
    package private(set) var prunedThrough: UInt64 = 0
    /// The log with this epoch goes on, and has `epoch` from now on.
    package private(set) var epochBefore: Epoch?

    /// - Parameters:
    ///   - entries: their keys are left out.
    ///   - epochBefore: the log with this epoch goes on; `nil`: that of `epoch` does.
    package init(
        of room: RoomKey,
        _ epoch: Epoch,
        _ history: HistorySettings?,
        entries: [LogEntry] = [],
        tombstones: [Tombstone] = [],
        prunedThrough: UInt64 = 0,
        epochBefore: Epoch? = nil
    ) {
        self.room = room
        self.epoch = epoch
        self.history = history
        self.entries = entries
        self.prunedThrough = prunedThrough
        self.epochBefore = epochBefore
        for index in self.entries.indices { self.entries[index].key = nil }
        self.put(tombstones)
    }

    /// Adds what a later record has changed; in another epoch that is all there is, unless the log goes on there.
    mutating func goOn(with newer: RoomChange) {
        guard newer.epoch == self.epoch || newer.epochBefore == self.epoch else {
            self = newer
            return
        }
        if newer.epoch != self.epoch { self.epochBefore = self.epochBefore ?? newer.epochBefore }
        self.epoch = newer.epoch
        self.history = newer.history
        self.entries += newer.entries
        self.put(newer.tombstones)
        self.prunedThrough = max(self.prunedThrough, newer.prunedThrough)
    }

    /// A text that is taken back before it is stored is never stored.
    private mutating func put(_ tombstones: [Tombstone]) {
        for tombstone in tombstones {
            guard let first = self.entries.first, first.seq <= tombstone.seq else {
                self.tombstones.append(tombstone)
                continue
            }
            let index = Int(clamping: tombstone.seq - first.seq)
            guard index < self.entries.count, self.entries[index].id == tombstone.id,
                self.entries[index].kind == .message
            else { continue }
            self.entries[index].kind = .tombstone
            self.entries[index].tail = tombstone.tail
        }
    }

    /// The bytes of memory that it takes, about.
    var bytes: Int {
        let entries = self.entries.reduce(0) { $0 + $1.tail.readableBytes + MemoryLayout<LogEntry>.stride }
        return self.tombstones.reduce(entries + 128) { $0 + $1.tail.readableBytes + MemoryLayout<Tombstone>.stride }
    }
}
