import NIOConcurrencyHelpers
import RoomModel

/// Whose logs are open, and which of the others are just being retired: a log that somebody works with keeps its row and
/// its epoch. Called on any thread.
final class LogsInUse: Sendable {
    private struct State {
        var open: Set<RoomKey> = []
        var retiring: Set<RoomKey> = []
        /// Counts the clears.
        var clears: Int64 = 0
        /// At which of them a room was cleared last; of those before `forgotten` it is not known any more.
        var cleared: [RoomKey: Int64] = [:]
        var forgotten: Int64 = 0
    }

    private static let rememberedClears = 10_000

    private let state = NIOLockedValueBox(State())

    /// - Returns: whether its row may be just about to be deleted.
    func open(_ room: RoomKey) -> Bool {
        self.state.withLockedValue { state in
            state.open.insert(room)
            return state.retiring.contains(room)
        }
    }

    func close(_ room: RoomKey) {
        self.state.withLockedValue { state in _ = state.open.remove(room) }
    }

    /// - Returns: those that can be retired; `retired` has to follow.
    func beginRetiring(_ rooms: [RoomKey]) -> Set<RoomKey> {
        self.state.withLockedValue { state in
            let free = Set(rooms.filter { !state.open.contains($0) })
            state.retiring.formUnion(free)
            return free
        }
    }

    func retired(_ rooms: [RoomKey]) {
        self.state.withLockedValue { $0.retiring.subtract(rooms) }
    }

    // MARK: Clears

    /// How many rooms were cleared by now.
    var clears: Int64 { self.state.withLockedValue(\.clears) }

    func cleared(_ rooms: some Sequence<RoomKey>) {
        self.state.withLockedValue { state in
            for room in rooms {
                state.clears += 1
                state.cleared[room] = state.clears
            }
            guard state.cleared.count > Self.rememberedClears else { return }
            state.cleared = [:]
            state.forgotten = state.clears
        }
    }

    /// Whether the room may have been cleared since there were so many clears.
    func wasCleared(_ room: RoomKey, since clears: Int64) -> Bool {
        self.state.withLockedValue { state in clears < state.forgotten || clears < state.cleared[room] ?? 0 }
    }
}
