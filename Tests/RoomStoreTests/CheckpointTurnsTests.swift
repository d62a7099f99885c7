import Testing

@testable import RoomStore

/// What the writer does itself of a checkpoint: all commits wait for it.
struct CheckpointTurnsTests {
    /// Writes while copies are made.
    ///
    /// - Parameter meanwhile: how many pages during a copy of so many.
    /// - Returns: what the writer finished, page by page, and how many copies were made.
    private static func run(_ meanwhile: (UInt32) -> UInt32) -> (finished: [UInt32], copies: Int) {
        var turns = CheckpointTurns()
        var (pages, copied, copies): (UInt32, UInt32, Int) = (.max - 20_000, .max - 20_000, 0)
        // so that the counter has begun
        while turns.next(pages: pages) != .finish { turns.copied() }
        var finished: [UInt32] = []
        while finished.count < 10 {
            pages &+= 100
            switch turns.next(pages: pages) {
            case .nothing, .wait: continue
            case .copy:
                let left = pages &- copied
                copied = pages
                copies += 1
                let written = meanwhile(left)
                // between the transactions of that time
                #expect(turns.next(pages: pages &+ written / 2) == .nothing)
                pages &+= written
                turns.copied()
            case .finish:
                finished.append(pages &- copied)
                copied = pages
            }
        }
        return (finished, copies)
    }

    @Test func `with little room on the disk, the next one comes after a megabyte`() {
        var turns = CheckpointTurns()
        #expect(turns.next(pages: 256) == .nothing)
        #expect(turns.next(pages: 255, between: 256) == .nothing)
        #expect(turns.next(pages: 256, between: 256) == .copy)
    }

    @Test func `it waits for a copy during which as much was written as there was to copy`() {
        var turns = CheckpointTurns()
        #expect(turns.next(pages: 256, between: 256) == .copy)
        #expect(turns.next(pages: 511, between: 256) == .nothing)
        #expect(turns.next(pages: 512, between: 256) == .wait)
        turns.copied()
        #expect(turns.next(pages: 512, between: 256) == .finish)
    }

    @Test func `the writer does little itself, however much was written during the copy`() {
        // a copy takes as long as a third as much takes to be written, and a sync
        let (finished, copies) = Self.run { $0 / 3 + 50 }
        #expect(finished.allSatisfy { $0 <= CheckpointTurns.mostToFinish }, "\(finished)")
        #expect(copies <= 60)
    }

    @Test func `one copy is enough where little is written`() {
        let (finished, copies) = Self.run { _ in 10 }
        #expect(finished.allSatisfy { $0 <= CheckpointTurns.mostToFinish })
        #expect(copies == 10)
    }

    @Test func `it ends where more is written than can be copied`() {
        let (finished, copies) = Self.run { _ in 5_000 }
        #expect(finished.count == 10)
        #expect(copies == 10 * CheckpointTurns.mostCopies)
    }
}
