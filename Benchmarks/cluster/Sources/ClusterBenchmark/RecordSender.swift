import DequeModule
import NIOCore
import RoomCore
import RoomModel

/// Gathers a node's commands for one partition into records, and keeps those that have not been seen in the partition.
///
/// The log is the receiver of go-back-N: a record counts if its number is the next one of its incarnation, wherever it
/// stands. So a record whose append has an unknown outcome is sent again, with all behind it, as often as it takes.
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
    private var unseen: Deque<(number: UInt64, bytes: ByteBuffer, sent: ContinuousClock.Instant)> = []
    /// Up to this one they were sent more than once.
    private var repeated: UInt64 = 0
    /// How long a record takes until it is seen, smoothed.
    private var delay = Duration.zero
    /// How long nothing may be seen until all is sent again. It grows with the delay, and doubles in vain: what is slow
    /// would become slower by repeats.
    private var patience = Self.leastPatience
    /// When the partition has shown one of them last, or they were sent again.
    private var latest = ContinuousClock.now
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
        self.unseen.append((record.number, record.bytes, .now))
        return record.bytes
    }

    private mutating func completeRecord() {
        guard self.commands > 0 else { return }
        self.number += 1
        var bytes = ByteBuffer()
        bytes.reserveCapacity(64 + 32 * self.rooms.count + self.body.readableBytes)
        bytes.writeInteger(Record.version)
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

    /// The partition has shown a record of this node.
    mutating func seen(_ number: UInt64) {
        let now = ContinuousClock.now
        while let first = self.unseen.first, first.number <= number {
            // of a repeated one nobody knows which of them it was
            if number > self.repeated { self.delay += (now - first.sent - self.delay) / 8 }
            self.unseen.removeFirst()
        }
        self.latest = now
        self.patience = max(Self.leastPatience, min(self.delay * 4, .seconds(5)))
    }

    /// What has to be sent again: everything that nobody has seen for too long.
    mutating func overdue() -> [ByteBuffer] {
        let now = ContinuousClock.now
        guard let last = self.unseen.last, now - self.latest > self.patience else { return [] }
        self.latest = now
        self.patience = max(self.patience, min(self.patience * 2, .seconds(1)))
        self.repeated = last.number
        self.repeats += self.unseen.count
        return self.unseen.map(\.bytes)
    }
}
