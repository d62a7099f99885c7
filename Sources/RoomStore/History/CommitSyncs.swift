import Dispatch
import GRDB
import NIOConcurrencyHelpers

/// Syncs the `-wal` beside the commits: those that nobody has to wait for on the disk do not wait for the others
/// (docs/decisions/0040).
///
/// A transaction is on the disk when a sync has succeeded that began after it. After one that failed nothing is known of what was
/// written before it, whatever the next one says: that is final, until the history is opened anew.
final class CommitSyncs: Sendable {
    private struct Waiting {
        let place: CommitPlace
        let completion: @Sendable (Result<Void, DatabaseError>) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var hasFailed = false
    }

    private static let failure = DatabaseError(resultCode: .SQLITE_IOERR_FSYNC, message: "the -wal could not be synced")

    private let commits: CommitRecordFile
    private let queue = DispatchQueue(label: "roomline.history.sync")
    private let state = NIOLockedValueBox(State())

    init(_ commits: CommitRecordFile) {
        self.commits = commits
    }

    /// Calls back on a queue of its own once everything through this place, which is committed, is on the disk.
    func sync(_ place: CommitPlace, completion: @escaping @Sendable (Result<Void, DatabaseError>) -> Void) {
        let isFirst = self.state.withLockedValue { state in
            state.waiting.append(Waiting(place: place, completion: completion))
            return state.waiting.count == 1
        }
        if isFirst { self.queue.async { self.syncWaiting() } }
    }

    /// Nothing is taken for synced from now on.
    func fail() {
        self.state.withLockedValue { $0.hasFailed = true }
    }

    /// Calls back when those who wait by now have been called.
    func whenDone(_ body: @escaping @Sendable () -> Void) {
        self.queue.async(execute: body)
    }

    private func syncWaiting() {
        let (waiting, hasFailed) = self.state.withLockedValue { state in
            defer { state.waiting = [] }
            return (state.waiting, state.hasFailed)
        }
        let isSynced = !hasFailed && self.commits.syncWAL()
        let result: Result<Void, DatabaseError> = self.state.withLockedValue { state in
            if !isSynced { state.hasFailed = true }
            return state.hasFailed ? .failure(Self.failure) : .success(())
        }
        if case .success = result, let last = waiting.last { self.commits.synced(last.place) }
        for one in waiting { one.completion(result) }
    }
}
