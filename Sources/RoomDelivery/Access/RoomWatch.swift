import NIOConcurrencyHelpers
import RoomModel

/// The queue of somebody who follows a room without being in it: the chunks that the room's owner has sealed since the
/// last look. They are bounded. A reader that is too slow loses the oldest, and sees that by the numbers of the messages.
final class RoomWatch: Sendable {
    /// The most bytes that wait, but for the newest chunk.
    static let limit = 1 << 20

    enum Item: Sendable {
        case chunk(Chunk)
        /// The log goes on behind this place.
        case place(Position)
    }

    private struct State {
        var items: [Item] = []
        var bytes = 0
        /// The epoch of the newest item, or of the place where the reader began.
        var epoch: Epoch?
    }

    private let state: NIOLockedValueBox<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(after position: Position?) {
        self.state = NIOLockedValueBox(State(epoch: position?.epoch))
        (self.wakes, self.wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ chunk: Chunk) {
        self.state.withLockedValue { state in
            if state.bytes + chunk.size > Self.limit {
                state.items = []
                state.bytes = 0
            }
            state.items.append(.chunk(chunk))
            state.bytes += chunk.size
            state.epoch = chunk.epoch
        }
        self.wake.yield()
    }

    func add(_ place: Position) {
        self.state.withLockedValue { state in
            state.items.append(.place(place))
            state.epoch = place.epoch
        }
        self.wake.yield()
    }

    /// The room is at this place; it counts where that is another log than before.
    func isAt(_ place: Position) {
        guard self.state.withLockedValue({ $0.epoch != place.epoch }) else { return }
        self.add(place)
    }

    /// There is no such room any more.
    func end() { self.wake.finish() }

    /// The items that have come since the last call, as soon as there is one; `nil` at the end.
    func take() async -> [Item]? {
        var wakes = self.wakes.makeAsyncIterator()
        while true {
            let items = self.state.withLockedValue { state in
                defer { (state.items, state.bytes) = ([], 0) }
                return state.items
            }
            if !items.isEmpty { return items }
            if await wakes.next() == nil { return nil }
        }
    }
}
