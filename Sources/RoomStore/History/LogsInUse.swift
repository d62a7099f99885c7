import NIOConcurrencyHelpers
import RoomCore
import RoomModel

/// The rooms whose logs are open, and those of the others that are just being retired: a log that somebody works with keeps
/// its row and its epoch, also while nothing of it is stored. Called on any thread.
final class LogsInUse: Sendable {
    private struct Use {
        /// The id of its log while nothing of it is stored; `nil` until somebody has asked, and after a clear.
        var new: LogID?
    }

    private struct State {
        var open: [RoomKey: Use] = [:]
        var retiring: Set<RoomKey> = []
    }

    private let state = NIOLockedValueBox(State())

    /// - Returns: whether its row may be just about to be deleted.
    func open(_ room: RoomKey) -> Bool {
        self.state.withLockedValue { state in
            if state.open[room] == nil { state.open[room] = Use() }
            return state.retiring.contains(room)
        }
    }

    func close(_ room: RoomKey) {
        self.state.withLockedValue { $0.open[room] = nil }
    }

    // MARK: Logs of which nothing is stored

    /// The name of a room's log of which nothing is stored: the same one until the room is closed or cleared, or has its log
    /// in another file.
    ///
    /// - Parameter new: what it is if nobody has asked yet.
    func name(_ new: NewLog, generation: Int) -> LogID {
        let name = LogID(rawValue: 0, generation: generation, new: new)
        return self.state.withLockedValue { state in
            // Benign race: it was closed meanwhile, and nothing can be appended to it.
            guard let use = state.open[new.room] else { return name }
            if let given = use.new, given.generation == generation { return given }
            state.open[new.room]?.new = name
            return name
        }
    }

    /// Whether the room is open, and this is what its log is called: its first append may begin it.
    func hasGivenOut(_ log: LogID) -> Bool {
        guard let room = log.new?.room else { return false }
        return self.state.withLockedValue { $0.open[room]?.new == log }
    }

    /// Whether the room is open, and its log is another one.
    func hasReplaced(_ log: LogID) -> Bool {
        guard let room = log.new?.room else { return true }
        return self.state.withLockedValue { state in state.open[room].map { $0.new != log } ?? false }
    }

    func cleared(_ rooms: some Sequence<RoomKey>) {
        self.state.withLockedValue { state in
            for room in rooms { state.open[room]?.new = nil }
        }
    }

    // MARK: Retirement

    /// - Returns: those that can be retired; `retired` has to follow.
    func beginRetiring(_ rooms: [RoomKey]) -> Set<RoomKey> {
        self.state.withLockedValue { state in
            let free = Set(rooms.filter { state.open[$0] == nil })
            state.retiring.formUnion(free)
            return free
        }
    }

    func retired(_ rooms: [RoomKey]) {
        self.state.withLockedValue { $0.retiring.subtract(rooms) }
    }
}
