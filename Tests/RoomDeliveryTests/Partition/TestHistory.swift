import NIOConcurrencyHelpers
import NIOCore
import RoomCore

/// A node's history that takes writes when a test says so.
final class TestHistory: ProjectedHistory {
    enum Disk {
        case works
        case isSlow
        case fails(EngineError)
    }

    private struct State {
        var disk = Disk.works
        var found: Result<ProjectedPartition, ProjectionError>
        var openings = 0
        var writes: [ProjectionWrite] = []
        var waiting: [(write: ProjectionWrite, completion: @Sendable (Result<Void, EngineError>) -> Void)] = []
    }

    private let state: NIOLockedValueBox<State>

    init(_ found: Result<ProjectedPartition, ProjectionError>? = nil) {
        let empty = ProjectedPartition(partition: 0, generation: 1, newest: nil, snapshot: nil)
        self.state = NIOLockedValueBox(State(found: found ?? .success(empty)))
    }

    /// As it would be found now.
    var found: ProjectedPartition? { self.state.withLockedValue { try? $0.found.get() } }
    var openings: Int { self.state.withLockedValue { $0.openings } }
    var writes: [ProjectionWrite] { self.state.withLockedValue { $0.writes } }
    var messages: [UInt64] { self.writes.flatMap(\.changes).flatMap(\.entries).map(\.seq) }

    func find(_ found: Result<ProjectedPartition, ProjectionError>) {
        self.state.withLockedValue { $0.found = found }
    }

    func setDisk(_ disk: Disk) {
        let waiting = self.state.withLockedValue { state in
            state.disk = disk
            guard case .works = disk else {
                return [] as [(ProjectionWrite, @Sendable (Result<Void, EngineError>) -> Void)]
            }
            defer { state.waiting = [] }
            return state.waiting.map { ($0.write, $0.completion) }
        }
        for (write, completion) in waiting { self.store(write, completion: completion) }
    }

    func openPartition(
        _ partition: Int,
        of log: String,
        completion: @escaping @Sendable (Result<ProjectedPartition, ProjectionError>) -> Void
    ) {
        completion(
            self.state.withLockedValue { state in
                state.openings += 1
                return state.found
            }
        )
    }

    func store(_ write: ProjectionWrite, completion: @escaping @Sendable (Result<Void, EngineError>) -> Void) {
        let result = self.state.withLockedValue { state -> Result<Void, EngineError>? in
            switch state.disk {
            case .isSlow:
                state.waiting.append((write, completion))
                return nil
            case .fails(let error): return .failure(error)
            case .works:
                state.writes.append(write)
                state.found = state.found.map { found in
                    var found = found
                    found.newest = KnownRecord(place: write.through, time: write.recordTime)
                    found.snapshot = write.snapshot ?? found.snapshot
                    return found
                }
                return .success(())
            }
        }
        if let result { completion(result) }
    }
}
