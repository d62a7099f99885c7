package import RoomModel

/// What a room hears of its log. It is local to a node: each has its own store, and asks it in its own time.
package enum StoreReport: Sendable {
    /// The log is open.
    ///
    /// - `publishes`: those of the log that have a key, in ascending order.
    /// - `clock`: it tells how long ago they came.
    case opened(OpenedLog, publishes: [StoredPublish], clock: SteadyClock)
    case openFailed
    case committed(AppendReceipt)
    case commitFailed
    /// The store has no messages of the room any more; `epoch`: that of the room if it has no history.
    case cleared(epoch: Epoch)
    case clearFailed
    /// What a read has found.
    case found(LogReport)
    /// An operator has had the oldest messages deleted, up to this one.
    case pruned(through: Position)
}

/// The state of a room's log, as a read has found it.
package enum LogReport: Equatable, Sendable {
    /// The log is no more: it is opened again with the next command.
    case lost
    /// Messages before this one are gone, the newest of them by its age or not: the next to come back is told at once.
    case trimmed(oldest: UInt64, hasExpired: Bool)
}

extension Room {
    /// - Returns: whether the log has to be opened now.
    package mutating func storeReported(_ report: StoreReport) -> Bool {
        switch report {
        case .opened(let log, let publishes, let clock): self.opened(log, publishes: publishes, clock: clock)
        case .openFailed: self.openFailed()
        case .committed(let receipt): self.committed(receipt)
        case .commitFailed: self.commitFailed()
        case .cleared(let epoch): return self.cleared(epoch: epoch)
        case .clearFailed: self.clearFailed()
        case .found(.lost): self.logLost()
        case .found(.trimmed(let oldest, let hasExpired)): self.storeTrimmed(oldest: oldest, hasExpired: hasExpired)
        case .pruned(let place): self.pruned(through: place)
        }
        return false
    }
}
