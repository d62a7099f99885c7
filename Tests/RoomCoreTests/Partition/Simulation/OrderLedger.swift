import NIOCore
import RoomModel
import RoomTestKit

@testable import RoomCluster
@testable import RoomCore

/// What the log of the simulated cluster makes of the rooms, told by one partition that applies each record at once, and what
/// has to hold of it.
struct OrderLedger {
    private(set) var violations: [String] = []
    /// The rooms as the log makes them.
    private(set) var rooms: Partition
    /// What each record has done.
    private(set) var applied: [Partition.Applied] = []
    private var orders: [RoomKey: RoomOrder] = [:]
    /// All that was published, by its text.
    private var messages: [String: Message] = [:]
    /// By the callback.
    private var attempts: [Int64: Attempt] = [:]
    private(set) var counts = Counts()
    /// The partition forgets keys before their time: then what is published again may come again.
    private let forgetsKeys: Bool

    struct Counts {
        var stored = 0
        var repeats = 0
        var refused = 0
        var ignored = 0
        var unknown = 0
        var notStored = 0

        mutating func add(_ other: Counts) {
            self.stored += other.stored
            self.repeats += other.repeats
            self.refused += other.refused
            self.ignored += other.ignored
            self.unknown += other.unknown
            self.notStored += other.notStored
        }
    }

    private struct Message {
        let client: Int
        let number: Int
        /// It is published until it is answered, and no rule refuses it: so it has its place in its client's order.
        let isOrdered: Bool
        /// All that was said of it is that it was not stored.
        var isGivenUp = false
        /// So often it was in the log as a new message of the room.
        var count = 0
        let hasID: Bool
    }

    private struct Attempt {
        let text: String
        /// The log has shown what became of it.
        var isInLog = false
        var wasTold = false
        var wasNotStored = false
    }

    private struct RoomOrder {
        var epoch: Epoch
        var epochs: Set<Epoch> = []
        var lastSeq: UInt64 = 0
        var newestID = UniqueID(high: 0, low: 0)
        /// The messages of the epoch.
        var history: [UInt64: (id: UniqueID, text: String)] = [:]
        /// The texts of the epoch.
        var texts: Set<String> = []
        /// The number of each client's newest message.
        var newest: [Int: Int] = [:]
        /// The newest publish of each connection that was answered.
        var newestAttempt: [ConnectionRef: Int64] = [:]
    }

    init(_ rooms: Partition, forgetsKeys: Bool) {
        self.rooms = rooms
        self.forgetsKeys = forgetsKeys
    }

    mutating func violated(_ what: String) {
        self.violations.append("place \(self.applied.count): \(what)")
    }

    // MARK: Publishes

    mutating func sent(_ message: SimulatedClient.Message, of client: Int, isGuest: Bool) {
        let hasID = message.messageID != nil
        self.attempts[message.attempt] = Attempt(text: message.text)
        guard self.messages[message.text] == nil else { return }
        self.messages[message.text] =
            Message(client: client, number: message.number, isOrdered: hasID && !isGuest, hasID: hasID)
    }

    enum Answer {
        case fromLog, unknown, notStored
    }

    /// The client was told what has become of a publish.
    mutating func told(_ attempt: Int64, _ answer: Answer) {
        guard let text = self.attempts[attempt]?.text else { return }
        if self.attempts[attempt]?.wasTold == true { self.violated("\(text) was answered twice") }
        self.attempts[attempt]?.wasTold = true
        switch answer {
        case .fromLog: break
        case .unknown: self.counts.unknown += 1
        case .notStored:
            self.counts.notStored += 1
            self.attempts[attempt]?.wasNotStored = true
            if self.attempts[attempt]?.isInLog == true { self.violated("\(text) was said not to be stored, but was") }
        }
    }

    /// The client was told that the message was not stored, and does not publish it again.
    mutating func gaveUp(_ text: String) { self.messages[text]?.isGivenUp = true }

    // MARK: Records

    /// The log has taken a record.
    mutating func stored(_ stored: LossyLog.Record) {
        guard let record = try? PartitionRecord(decoding: stored.bytes) else {
            return self.violated("a record cannot be read")
        }
        let place = LogOffset(rawValue: UInt64(self.applied.count + 1))
        let applied = self.rooms.apply(record, at: place, time: stored.time)
        self.applied.append(applied)
        if applied.outcome == .ignored {
            self.counts.ignored += 1
            if !applied.batches.isEmpty { self.violated("a record that does not count did something") }
        }
        for batch in applied.batches { self.take(batch) }
        let held = self.rooms.roomKeys.count { self.rooms[$0]?.members.isEmpty == false }
        if held > PartitionSimulation.roomLimit { self.violated("\(held) rooms have members") }
    }

    private mutating func take(_ batch: Partition.Batch) {
        var order = self.orders[batch.room] ?? RoomOrder(epoch: batch.view.epoch)
        if order.epoch != batch.view.epoch || order.epochs.isEmpty {
            if !order.epochs.insert(batch.view.epoch).inserted { self.violated("\(batch.room) has an epoch again") }
            order.epoch = batch.view.epoch
            (order.lastSeq, order.history, order.texts) = (0, [:], [])
        }
        if batch.batch.seqBefore != order.lastSeq {
            self.violated("\(batch.room) goes on behind \(batch.batch.seqBefore) instead of \(order.lastSeq)")
        }
        for entry in batch.batch.entries { self.take(entry, in: batch.room, &order) }
        for answer in batch.batch.answers { self.take(answer, in: batch.room, &order) }
        self.orders[batch.room] = order
    }

    private mutating func take(_ entry: RoomEntry, in room: RoomKey, _ order: inout RoomOrder) {
        if entry.stamp.id <= order.newestID { self.violated("the ids of \(room) do not ascend") }
        order.newestID = entry.stamp.id
        if entry.seq > 0 {
            if entry.seq != order.lastSeq + 1 {
                self.violated("\(room) has \(entry.seq) behind \(order.lastSeq)")
            }
            order.lastSeq = entry.seq
        }
        switch entry.content {
        case .message(let bytes): self.take(String(buffer: bytes), of: entry, in: room, &order)
        case .redaction(let tombstone, _):
            guard order.history[tombstone.seq]?.id != tombstone.id else { break }
            self.violated("\(room) redacts what it does not have")
        case .presence, .named, .notice, .members: break
        }
    }

    private mutating func take(_ text: String, of entry: RoomEntry, in room: RoomKey, _ order: inout RoomOrder) {
        guard let message = self.messages[text] else { return self.violated("\(room) has \(text), which nobody sent") }
        if message.isGivenUp { self.violated("\(room) has \(text), which was said not to be stored") }
        self.messages[text]?.count += 1
        self.counts.stored += 1
        // after a clear, a message that its client did not know to be stored comes into the new epoch
        let isAgain = !order.texts.insert(text).inserted && !(self.forgetsKeys && message.hasID)
        if isAgain || message.count > 0 && !message.hasID {
            self.violated("\(room) has \(text) twice")
        }
        if entry.seq > 0 { order.history[entry.seq] = (entry.stamp.id, text) }
        guard message.isOrdered, message.count == 0 else { return }
        if let newest = order.newest[message.client], newest > message.number {
            self.violated("\(room) has \(text) behind message \(newest) of its client")
        }
        order.newest[message.client] = message.number
    }

    private mutating func take(_ answer: RoomAnswer, in room: RoomKey, _ order: inout RoomOrder) {
        let origin: Origin
        switch answer.content {
        case .acknowledged(let acknowledgement):
            origin = acknowledgement.origin
            self.check(acknowledgement, in: room, order)
            if acknowledgement.isDuplicate { self.counts.repeats += 1 }
        case .refused(let refused, _):
            origin = refused
            self.counts.refused += 1
        default: return
        }
        guard let callback = origin.callback, let attempt = self.attempts[callback] else { return }
        if attempt.isInLog { self.violated("\(attempt.text) was applied twice") }
        if attempt.wasNotStored { self.violated("\(attempt.text) was applied, but said not to be stored") }
        if let newest = order.newestAttempt[origin.connection], newest > callback {
            self.violated("\(attempt.text) changed its place in what its connection sent")
        }
        order.newestAttempt[origin.connection] = callback
        self.attempts[callback]?.isInLog = true
    }

    private mutating func check(_ acknowledgement: Acknowledgement, in room: RoomKey, _ order: RoomOrder) {
        guard let seq = acknowledgement.seq, let callback = acknowledgement.origin.callback,
            let text = self.attempts[callback]?.text
        else { return }
        let (id, stored) = order.history[seq] ?? (UniqueID(high: 0, low: 0), "nothing")
        if stored != text || id != acknowledgement.stamp.id {
            self.violated("\(text) is acknowledged as \(seq) of \(room), which is \(stored)")
        }
    }

    /// A message of the room's history, or `nil`.
    func message(in room: RoomKey, _ random: inout SeededRandom) -> (epoch: Epoch, seq: UInt64, id: UniqueID)? {
        guard let order = self.orders[room], order.lastSeq > 0 else { return nil }
        let seq = UInt64(1 + random.below(Int(order.lastSeq)))
        return order.history[seq].map { (order.epoch, seq, $0.id) }
    }

    // MARK: Nodes

    /// A node has applied a record.
    mutating func compare(_ applied: Partition.Applied, at place: Int, by node: SimulatedNode) {
        if self.applied[place - 1] != applied {
            self.violated("node \(node.number.rawValue) makes something else of record \(place)")
        }
    }

    /// A node has applied all records, or so have several one after the other.
    mutating func compareRooms(_ partition: Partition, _ what: String) {
        if partition.encoded != self.rooms.encoded { self.violated("\(what) is another one") }
    }
}
