import DequeModule
import RoomCore
import RoomModel

/// The places of one member in the logs of its rooms. Each is also in the replica of its room, from which the fan-out
/// writes to it.
struct Subscriptions {
    private var subscribers: [RoomName: Subscriber] = [:]
    /// The room whose turn it is to be delivered to.
    private var nextRoom = 0
    /// Rooms that have not had their turn, and how many there were.
    private var turns = (left: 0, of: 0)

    subscript(room: RoomName) -> Subscriber? { self.subscribers[room] }

    var isEmpty: Bool { self.subscribers.isEmpty }
    /// Their subscribes are answered, and they have not begun.
    private var ready: Deque<Subscriber> = []
    /// How many have not got yet what they are to get before the live messages.
    private var behind = 0
    /// The bytes of the lists of members that wait for the answers to their subscribes, or for the client to read.
    private(set) var listBytes = 0
    /// Each has got what it is to get before the live messages.
    var areCaughtUp: Bool { self.behind == 0 }
    /// In no order.
    var all: some Collection<Subscriber> { self.subscribers.values }

    mutating func add(_ subscriber: Subscriber) {
        self.remove(subscriber.replica.key.room)
        self.subscribers[subscriber.replica.key.room] = subscriber
        if !subscriber.isLive { self.behind += 1 }
        self.listBytes += subscriber.listBytes
        subscriber.replica.add(subscriber)
    }

    mutating func remove(_ room: RoomName) {
        guard let subscriber = self.subscribers.removeValue(forKey: room) else { return }
        subscriber.left()
        if !subscriber.isLive { self.behind -= 1 }
        self.listBytes -= subscriber.listBytes
        subscriber.replica.remove(subscriber)
    }

    /// The session has ended.
    ///
    /// - Returns: those that are still in the replicas of their rooms.
    mutating func takeAll() -> [RoomName: Subscriber] {
        defer { self = Subscriptions() }
        return self.subscribers
    }

    mutating func listChanged(by bytes: Int, of subscriber: Subscriber) {
        if self.contains(subscriber) { self.listBytes += bytes }
    }

    /// A subscriber has caught up, or fallen behind.
    mutating func changed(_ subscriber: Subscriber) {
        guard self.contains(subscriber) else { return }
        self.behind += subscriber.isLive ? -1 : 1
    }

    func contains(_ subscriber: Subscriber) -> Bool { self.subscribers[subscriber.replica.key.room] === subscriber }

    /// A room's answer to a subscribe that the client is not answered yet.
    func heldAdmission(in room: RoomName) -> Admission? {
        if case .held(let admission) = self.subscribers[room]?.state { admission } else { nil }
    }

    // MARK: Beginning

    /// The subscribe to a room is answered: what comes first can be sent.
    mutating func answered(_ room: RoomName) {
        guard let subscriber = self.subscribers[room], case .held = subscriber.state else { return }
        subscriber.isAnswered = true
        self.ready.append(subscriber)
    }

    /// Whether a subscriber may be left that can begin.
    var hasAnswered: Bool { !self.ready.isEmpty }

    /// Takes out the next subscriber that can begin.
    mutating func popAnswered() -> Subscriber? {
        while let subscriber = self.ready.popFirst() {
            if self.ready.isEmpty { self.ready = [] }
            if self.contains(subscriber), case .held = subscriber.state { return subscriber }
        }
        return nil
    }

    // MARK: Turns

    var hasTurnsLeft: Bool { self.turns.left > 0 }

    /// Each of so many rooms is to have a turn.
    mutating func beginTurns(of count: Int) {
        self.turns = (count, count)
    }

    /// The index of the room whose turn it is. The first is behind the last one that had a turn, which may have filled the
    /// socket: a busy room does not starve the others of a slow reader.
    ///
    /// - Parameter count: of the rooms; fewer than before: they have moved, and all have a turn again.
    mutating func nextTurn(of count: Int) -> Int? {
        if count < self.turns.of { self.turns.left = min(self.turns.left, 1) * count }
        self.turns.of = count
        guard self.turns.left > 0 else { return nil }
        self.turns.left -= 1
        if self.nextRoom >= count { self.nextRoom = 0 }
        defer { self.nextRoom += 1 }
        return self.nextRoom
    }
}
