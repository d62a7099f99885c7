/// The committed transactions that a `-wal` does not have any more.
enum LostCommits: Equatable {
    case none
    /// Some that were not synced.
    case unsynced
    /// Others, or nobody knows.
    case any

    /// - Parameters:
    ///   - record: of this history.
    ///   - wasClosed: the database says that it was closed in order.
    ///   - hadRecord: it was open in a version that keeps a record.
    init(
        of wal: WriteAheadLog.State,
        _ record: CommitRecordFile.Content,
        wasClosed: Bool,
        hadRecord: Bool
    ) {
        switch record {
        case .record(let record): self.init(of: wal, record, wasClosed: wasClosed)
        case .absent: self = wasClosed || !hadRecord ? Self.withoutRecord(wal, wasClosed: wasClosed) : .any
        // It may have said anything.
        case .damaged: self = .any
        }
    }

    init(of wal: WriteAheadLog.State, _ record: CommitRecord, wasClosed: Bool) {
        if record.isClosed {
            self = wasClosed ? .none : .any
        } else if record.committed == 0 {
            self = .none
        } else if case .found(let log) = wal {
            self = log.salts == record.salts ? Self.lost(log, record) : Self.otherRound(log, record)
        } else {
            self = .any
        }
    }

    private static func lost(_ log: WriteAheadLog.Contents, _ record: CommitRecord) -> LostCommits {
        if log.frames >= record.committed { return .none }
        return log.frames >= record.synced ? .unsynced : .any
    }

    /// A `-wal` cannot begin anew so often before its record is on the disk: each round takes up to 32 MiB.
    private static let mostRounds: UInt32 = 1 << 16

    /// SQLite counts the first salt up when it begins the file anew, and does that when all of it is in the database. A file
    /// that it creates, because there was none any more, has any salt.
    private static func otherRound(_ log: WriteAheadLog.Contents, _ record: CommitRecord) -> LostCommits {
        let isLater = (1...self.mostRounds).contains(log.salts.first &- record.salts.first)
        return isLater ? .none : .any
    }

    private static func withoutRecord(_ wal: WriteAheadLog.State, wasClosed: Bool) -> LostCommits {
        switch wal {
        case .damaged: .any
        case .found(let log) where log.hasCommitBehind: .any
        case .found, .empty: .none
        // In use, the file always has a `-wal`: this is a copy made without it.
        case .absent: wasClosed ? .none : .any
        }
    }
}
