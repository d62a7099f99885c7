import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// Has reads of the history begin in their turn, as many at a time as there are connections to the file for them. Called on
/// any thread; never blocks.
final class ReadQueue: Sendable {
    /// Begins a read; it calls what it is given when it has ended, on any thread.
    typealias Job = @Sendable (_ ended: @escaping @Sendable () -> Void) -> Void

    enum Asker: Hashable, Sendable {
        case reader(ReadAsker)
        /// A room that is opened: one of several that can be at a time.
        case opening(UInt64)
    }

    /// Beside one that is long.
    static let atOnce = 3
    /// More are refused. A connection has few at a time, but rooms that are opened can be many.
    private static let mostWaiting = 20_000
    private static let openings: UInt64 = 4

    private let turns = NIOLockedValueBox(ReadTurns<Asker, Job>(limit: atOnce))

    static func asker(opening room: RoomKey) -> Asker { .opening(room.stableHash % self.openings) }

    /// - Parameter asker: `nil` for a read that is long.
    /// - Returns: false where too many wait already.
    func read(for asker: Asker?, _ job: @escaping Job) -> Bool {
        let isTaken = self.turns.withLockedValue { turns in
            guard let asker else {
                turns.addLong(job)
                return true
            }
            guard turns.waiting < Self.mostWaiting else { return false }
            turns.add(job, of: asker)
            return true
        }
        if isTaken { self.begin() }
        return isTaken
    }

    private func begin() {
        while let (asker, job) = self.turns.withLockedValue({ $0.next() }) {
            job {
                self.turns.withLockedValue { $0.ended(asker) }
                self.begin()
            }
        }
        while let job = self.turns.withLockedValue({ $0.nextLong() }) {
            job {
                self.turns.withLockedValue { $0.longEnded() }
                self.begin()
            }
        }
    }
}
