/// The state of a room's log, as a read has found it.
package enum LogReport: Equatable, Sendable {
    /// The log is no more: it is opened again with the next command.
    case lost
    /// Messages before this one are gone: the next to come back is told at once.
    case trimmed(oldest: UInt64)
}

extension Room {
    package mutating func logReported(_ report: LogReport) {
        switch report {
        case .lost: self.logLost()
        case .trimmed(let oldest): self.storeTrimmed(oldest: oldest)
        }
    }
}
