import RoomCore
import RoomModel

/// The pure `Room`, which orders and holds all that is replayed, where the event loop that owns the room gives the order.
final class LoopRoom: RoomOrder {
    private(set) var room: Room
    /// Is told of all that changes the room.
    private let recorder: (any RoomRecorder)?
    /// Encoded, and at the store.
    var inFlight: EncodedBatch?
    /// The lane of the commands that no batch has taken yet.
    var laneOfCommands = Lane.bulk
    /// The owner has forgotten it.
    var isForgotten = false
    /// Its publish keys, as the budget of all rooms has counted them.
    var countedKeys = KeyBudget.Holding()
    /// The ids of a room whose newest message is far ahead of the clock go on there; those of the other rooms do not.
    var stamper: Stamper?
    /// Its messages that are not stored yet, as the backlog of all rooms has counted them.
    var unstored = CommitBacklog.Holding()

    init(_ room: Room, recorder: (any RoomRecorder)?) {
        self.room = room
        self.recorder = recorder
        recorder?.began(room)
    }

    var key: RoomKey { self.room.key }
    var view: RoomView { RoomView(self.room) }
    var subscribers: SubscriberCounts { self.room.subscribers }
    var isDormant: Bool { self.room.isDormant }
    var isStored: Bool { self.room.hasHistory }

    // MARK: All that changes the room

    func enqueue(_ command: RoomCommand, left: Int = .max) -> RoomAnswer? {
        let refusal = self.room.enqueue(command, left: left)
        self.recorder?.took(.command(command, left: left, refusal: refusal), in: self.key)
        return refusal
    }

    func advance() -> Room.Action {
        let action = self.room.advance()
        self.recorder?.took(.advance(action), in: self.key)
        return action
    }

    func takeBatch(_ turn: RoomTurn) -> RoomBatch {
        let batch = self.room.takeBatch(turn)
        self.recorder?.took(.turn(turn, batch), in: self.key)
        return batch
    }

    /// - Returns: whether the log has to be opened now.
    @discardableResult
    func storeReported(_ report: StoreReport) -> Bool {
        let opensLog = self.room.storeReported(report)
        self.recorder?.took(.store(report, opensLog: opensLog), in: self.key)
        return opensLog
    }

    func adoptNextSettings() {
        self.room.adoptNextSettings()
        self.recorder?.took(.adoptSettings, in: self.key)
    }

    func forgetKeys(before second: UInt32) {
        self.room.forgetKeys(before: second)
        self.recorder?.took(.forgetKeys(before: second), in: self.key)
    }
}
