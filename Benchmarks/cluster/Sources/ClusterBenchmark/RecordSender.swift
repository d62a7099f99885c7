import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// Gathers a node's commands for one partition into records, and keeps those that have not been seen in the partition.
///
/// The log is the receiver of go-back-N: a record counts if its number is the next one of its incarnation, wherever it
/// stands. So a record whose append has an unknown outcome is sent again. When that copy comes and others do not that were
/// sent before it, they are sent again too.
struct RecordSender {
    let incarnation: UInt64
    private let window: Int
    private var number: UInt64 = 0
    private var names: [RoomName: UInt16] = [:]
    private var rooms: [RoomName] = []
    private var body = ByteBuffer()
    private var commands: UInt32 = 0
    /// Records that wait until fewer are on their way.
    private var complete: Deque<(number: UInt64, bytes: ByteBuffer)> = []
    private var unseen: Deque<Sent> = []
    /// How many copies were sent of all records.
    private var copies: UInt64 = 0
    /// How long a record takes until it is seen, smoothed.
    private var delay = Duration.zero
    /// How long nothing may be seen until all is sent again. It grows with the delay, and doubles in vain: what is slow
    /// would become slower by repeats.
    private var patience = Self.leastPatience
    /// When the partition has shown one of them last, or they were sent again.
    private var latest = ContinuousClock.now

    private struct Sent {
        let number: UInt64
        var bytes: ByteBuffer
        var attempt: UInt8 = 0
        /// Copies that were sent before the latest of it.
        var copy: UInt64
        var time: ContinuousClock.Instant
    }
    private(set) var repeats = 0

    /// A record ends with the command that makes it this large.
    private static let largest = 128 * 1024
    private static let leastPatience = Duration.milliseconds(250)

    init(incarnation: UInt64, window: Int) {
        self.incarnation = incarnation
        self.window = window
    }

    var isIdle: Bool { self.commands == 0 && self.complete.isEmpty && self.unseen.isEmpty }

    mutating func add(_ command: RoomCommand, in room: RoomName) {
        let index: UInt16
        if let known = self.names[room] {
            index = known
        } else {
            index = UInt16(self.rooms.count)
            self.names[room] = index
            self.rooms.append(room)
        }
        if Record.write(command, room: index, into: &self.body) { self.commands += 1 }
        if self.body.readableBytes >= Self.largest { self.completeRecord() }
    }

    /// The next record, where something waits and not too many are on their way.
    mutating func next() -> ByteBuffer? {
        guard self.unseen.count < self.window else { return nil }
        if self.complete.isEmpty { self.completeRecord() }
        guard let record = self.complete.popFirst() else { return nil }
        if self.unseen.isEmpty { self.latest = .now }
        self.copies += 1
        self.unseen.append(Sent(number: record.number, bytes: record.bytes, copy: self.copies, time: .now))
        return record.bytes
    }

    private mutating func completeRecord() {
        guard self.commands > 0 else { return }
        self.number += 1
        var bytes = ByteBuffer()
        bytes.reserveCapacity(64 + 32 * self.rooms.count + self.body.readableBytes)
        bytes.writeInteger(Record.version)
        bytes.writeInteger(UInt8(0))
        bytes.writeInteger(self.incarnation, endianness: .little)
        bytes.writeInteger(self.number, endianness: .little)
        bytes.writeInteger(UInt16(self.rooms.count), endianness: .little)
        for room in self.rooms {
            bytes.writeInteger(UInt8(room.text.utf8.count))
            bytes.writeString(room.text)
        }
        bytes.writeInteger(self.commands, endianness: .little)
        bytes.writeImmutableBuffer(self.body)
        self.names.removeAll(keepingCapacity: true)
        self.rooms.removeAll(keepingCapacity: true)
        self.body.clear()
        self.commands = 0
        self.complete.append((self.number, bytes))
    }

    /// The partition has shown a record of this node, and it counts.
    ///
    /// - Returns: what has to be sent again.
    mutating func seen(_ name: RecordName) -> [ByteBuffer] {
        let now = ContinuousClock.now
        let lost = self.shown(name)
        while let first = self.unseen.first, first.number <= name.number {
            // of a repeated one nobody knows which of them it was
            if first.attempt == 0 { self.delay += (now - first.time - self.delay) / 8 }
            self.unseen.removeFirst()
        }
        self.latest = now
        self.patience = max(Self.leastPatience, min(self.delay * 4, .seconds(5)))
        return lost.flatMap { self.repeatAll(sentBefore: $0) } ?? []
    }

    /// The partition has shown a record of this node that does not count.
    ///
    /// - Returns: what has to be sent again.
    mutating func ignored(_ name: RecordName) -> [ByteBuffer] {
        self.shown(name).map { self.repeatAll(sentBefore: $0) } ?? []
    }

    /// What of the oldest record has to be sent again: nobody has seen it for too long.
    mutating func overdue() -> [ByteBuffer] {
        let now = ContinuousClock.now
        guard !self.unseen.isEmpty, now - self.latest > self.patience else { return [] }
        self.latest = now
        self.patience = max(self.patience, min(self.patience * 2, .seconds(1)))
        return [self.repeated(0)]
    }

    /// A copy that was sent again has come: what was sent before it has come too, or does not come.
    ///
    /// - Returns: how many copies were sent before it; `nil`: it says nothing.
    private func shown(_ name: RecordName) -> UInt64? {
        guard name.attempt > 0, let sent = self.unseen.first(where: { $0.number == name.number }),
            sent.attempt == name.attempt
        else { return nil }
        return sent.copy
    }

    private mutating func repeatAll(sentBefore copy: UInt64) -> [ByteBuffer] {
        self.unseen.indices.filter { self.unseen[$0].copy < copy }.map { self.repeated($0) }
    }

    private mutating func repeated(_ index: Int) -> ByteBuffer {
        self.repeats += 1
        self.copies += 1
        self.unseen[index].copy = self.copies
        self.unseen[index].attempt &+= 1
        self.unseen[index].time = .now
        self.unseen[index].bytes.setInteger(self.unseen[index].attempt, at: Record.attemptOffset)
        return self.unseen[index].bytes
    }
}
