import NIOCore
import RoomCore
import RoomModel

/// A connection's place in a room's log. It holds no messages, so one that lags costs no memory of its own.
final class Subscriber {
    let connection: Connection
    let replica: Replica
    let overflow: OverflowPolicy
    private let outlet: Outlet
    private let carrier: Carrier
    var state: State {
        didSet { self.isLive = Self.isLive(self.state) }
    }
    private(set) var isLive: Bool
    /// What it gets next of the window.
    var cursor: Cursor
    /// The newest message it has got.
    var lastSeq: UInt64
    /// Its index in the replica's list.
    var slot = 0

    enum State {
        /// Its subscribe names more rooms, and not all have answered.
        case held(Parcel.Attachment)
        /// Gets what is behind its cursor.
        case live
        /// Gets only the stored messages up to the cursor, then becomes live.
        case replaying(until: Cursor)
        /// Gets messages from the store, then becomes live at its cursor.
        case reading(StoreReplay)
        /// Has fallen behind the window and asked the owner where to go on.
        case resyncing
    }

    init(
        connection: Connection,
        replica: Replica,
        overflow: OverflowPolicy,
        state: State,
        cursor: Cursor,
        lastSeq: UInt64
    ) {
        self.connection = connection
        self.outlet = connection.outlet
        self.carrier = connection.carrier
        self.isLive = Self.isLive(state)
        self.replica = replica
        self.overflow = overflow
        self.state = state
        self.cursor = cursor
        self.lastSeq = lastSeq
    }

    private static func isLive(_ state: State) -> Bool {
        if case .live = state { true } else { false }
    }

    /// All of the chunk is written or on its way.
    func passed(_ chunk: Chunk) {
        self.cursor = Cursor(chunk: chunk.number + 1, offset: 0)
        self.lastSeq = chunk.lastSeq
    }

    /// Takes a chunk in one write, if it is the next one and nothing is in the way: what nearly all deliveries are.
    ///
    /// - Parameter bytes: the chunk's for JSON lines, without exclusions.
    /// - Returns: false where `Connection.deliver` has to look closer.
    func takes(_ chunk: Chunk, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.isLive, self.cursor.chunk == chunk.number, self.cursor.offset == 0, chunk.seqBefore <= self.lastSeq,
            self.carrier == .jsonLines, let taken = self.outlet.offer(bytes)
        else { return false }
        if taken == bytes.count {
            self.passed(chunk)
        } else {
            self.connection.wrote(taken, of: chunk, to: self)
        }
        return true
    }
}

/// What a subscriber still gets from the store.
struct StoreReplay {
    /// The newest message to get.
    var through: UInt64
    /// For `history_message` frames: the next one's index. `nil` for `publish` frames.
    var historyIndex: Int?
    /// A page has been asked for.
    var isReading = false
}
