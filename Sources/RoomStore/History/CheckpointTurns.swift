/// Decides who moves committed pages from the `-wal` into the database file, and when: a connection beside the writer, as
/// often as much is left, and then the writer itself the little that came meanwhile. Pure; `Checkpointer` does what it
/// says.
///
/// All commits wait for the writer's work. With one look at the copy, a flood had the writer move and sync as much as
/// the copy had done: the copy takes as long as the disk needs, and commits go on in that time. But what is not in the database file yet
/// has to have room there when the disk is full: so they wait for a copy that is slower than they are.
struct CheckpointTurns {
    static let pageBytes: UInt32 = 4_096
    /// 32 MiB.
    static let pagesBetween: UInt32 = 8_192
    /// 1 MiB.
    static let mostToFinish: UInt32 = 256
    /// Where commits come faster than they can be moved, the writer has to finish in the end: it bounds the `-wal`.
    static let mostCopies = 8

    private enum Phase {
        /// Can transition to: `copying`, when enough pages were written since there were this many.
        case idle(pagesWritten: UInt32)
        /// The other connection is at work, for so many times by now, on the pages that were written until then.
        /// Can transition to: `copied`.
        case copying(times: Int, pagesWritten: UInt32)
        /// Can transition to: `copying`, when much was written meanwhile; `idle`, when the writer has to do the rest.
        case copied(times: Int, pagesWritten: UInt32)
    }

    enum Turn: Equatable {
        case nothing
        /// The other connection copies; `copied` has to follow.
        case copy
        /// The writer waits for the copy, and asks again.
        case wait
        /// The writer does the rest.
        case finish
    }

    private var phase = Phase.idle(pagesWritten: 0)

    var isCopying: Bool { if case .copying = self.phase { true } else { false } }

    /// To be called between two transactions.
    ///
    /// - Parameters:
    ///   - pages: how many the writer has written so far; wraps round.
    ///   - most: after so many, much is left; fewer where there is little room on the disk.
    mutating func next(pages: UInt32, between most: UInt32 = Self.pagesBetween) -> Turn {
        switch self.phase {
        case .idle(let before) where pages &- before >= most:
            self.phase = .copying(times: 1, pagesWritten: pages)
            return .copy
        case .copying(_, let before) where pages &- before >= most:
            return .wait
        case .idle, .copying:
            return .nothing
        case .copied(let times, let before) where pages &- before > Self.mostToFinish && times < Self.mostCopies:
            self.phase = .copying(times: times + 1, pagesWritten: pages)
            return .copy
        case .copied:
            self.phase = .idle(pagesWritten: pages)
            return .finish
        }
    }

    mutating func copied() {
        guard case .copying(let times, let pages) = self.phase else { return }
        self.phase = .copied(times: times, pagesWritten: pages)
    }
}
