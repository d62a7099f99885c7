import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// Has reads of the history begin in their turn, as many at a time as there are connections to the file for them. Called on
/// any thread; never blocks.
///
/// Reads of a log are not bounded here: those who ask have few at a time. Rooms that are opened can be many.
final class ReadQueue: Sendable {
    /// Begins a read; it calls what it is given when it has ended, on any thread.
    typealias Job = @Sendable (_ ended: @escaping @Sendable () -> Void) -> Void

    enum Asker: Hashable, Sendable {
        case reader(ReadAsker)
        /// A room that is opened: one of several that can be at a time for the same asker.
        case opening(ReadAsker, UInt64)
    }

    /// Beside one that is long.
    static let atOnce = 3
    /// Where more rooms wait to be opened, those that have some waiting are refused others.
    static let mostOpenings = 20_000
    private static let fewOpenings = 4
    private static let openingsAtOnce: UInt64 = 4

    private struct Waiting {
        var turns = ReadTurns<Asker, Job>(limit: atOnce)
        var openings = 0

        mutating func next() -> (asker: Asker, job: Job)? {
            guard let next = self.turns.next() else { return nil }
            if case .opening = next.asker { self.openings -= 1 }
            return next
        }
    }

    private let waiting = NIOLockedValueBox(Waiting())

    static func asker(opening room: RoomKey, for asker: ReadAsker) -> Asker {
        .opening(asker, room.stableHash % self.openingsAtOnce)
    }

    /// - Parameter asker: `nil` for a read that is long.
    /// - Returns: false where too many of the asker wait already.
    func read(for asker: Asker?, _ job: @escaping Job) -> Bool {
        let isTaken = self.waiting.withLockedValue { waiting in
            guard let asker else {
                waiting.turns.addLong(job)
                return true
            }
            if case .opening = asker {
                let isFull = waiting.openings >= Self.mostOpenings
                guard !isFull || waiting.turns.waiting(of: asker) < Self.fewOpenings else { return false }
                waiting.openings += 1
            }
            waiting.turns.add(job, of: asker)
            return true
        }
        if isTaken { self.begin() }
        return isTaken
    }

    private func begin() {
        while let (asker, job) = self.waiting.withLockedValue({ $0.next() }) {
            job {
                self.waiting.withLockedValue { $0.turns.ended(asker) }
                self.begin()
            }
        }
        while let job = self.waiting.withLockedValue({ $0.turns.nextLong() }) {
            job {
                self.waiting.withLockedValue { $0.turns.longEnded() }
                self.begin()
            }
        }
    }
}
