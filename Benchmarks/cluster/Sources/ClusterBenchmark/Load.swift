import Glibc
import NIOCore
import RoomCore
import RoomModel

/// Publishes into rooms: so many messages unanswered at any time, or so many a second. Each message says who sent it,
/// when, and the how manieth it is of its sender in its room.
struct Load {
    struct Settings {
        var node = 0
        var rooms = 8
        /// Messages that are published and not answered; used where `rate` is 0.
        var outstanding = 4_096
        /// Messages a second.
        var rate = 0
        var bytes = 200
        /// Whether messages have a `message_id`.
        var isKeyed = false
        /// Whether members come and go; only with a `rate`.
        var hasPresence = false
    }

    let settings: Settings
    let names: [RoomName]
    private let sender: Sender
    private let padding: [UInt8]
    private var counts: [UInt64]
    private var next = 0
    private var owed = 0.0
    private var latest: ContinuousClock.Instant?
    private(set) var isOn = false

    init(_ settings: Settings) {
        self.settings = settings
        let prefix = settings.hasPresence ? RoomName.observablePrefix : ""
        self.names = (0..<settings.rooms).map { RoomName("\(prefix)room-\($0)") }
        self.counts = Array(repeating: 0, count: settings.rooms)
        let id = ClientID(high: UInt64(settings.node), low: 7)
        self.sender = Sender.member(id, clientData: ByteBuffer(string: #"{"name":"Ada"}"#))
        self.padding = Array(repeating: UInt8(ascii: "x"), count: max(0, settings.bytes - LoadMessage.length))
    }

    mutating func start() -> [(room: Int, command: RoomCommand)] {
        self.isOn = true
        self.latest = .now
        self.owed = 0
        guard self.settings.rate == 0 else { return [] }
        return (0..<self.settings.outstanding).map { self.publish(into: $0 % self.settings.rooms) }
    }

    mutating func stop() { self.isOn = false }

    /// What is due by now.
    mutating func due() -> [(room: Int, command: RoomCommand)] {
        guard self.isOn, self.settings.rate > 0, let latest else { return [] }
        let now = ContinuousClock.now
        self.owed += (now - latest) / .seconds(1) * Double(self.settings.rate)
        self.latest = now
        let count = Int(self.owed)
        self.owed -= Double(count)
        return (0..<count).flatMap { _ in
            self.next = (self.next + 1) % self.settings.rooms
            return [self.publish(into: self.next)] + (self.settings.hasPresence ? [self.presence(in: self.next)] : [])
        }
    }

    /// A message into this room was answered.
    mutating func acknowledged(room: Int) -> (room: Int, command: RoomCommand)? {
        self.isOn && self.settings.rate == 0 ? self.publish(into: room) : nil
    }

    /// Members come, lose their connection, and are gone or leave.
    private mutating func presence(in room: Int) -> (room: Int, command: RoomCommand) {
        let step = self.counts[room]
        let id = ClientID(high: UInt64(self.settings.node) << 32 | step / 3 % 64, low: UInt64(room))
        let connection = ConnectionRef(shard: self.settings.node, number: 1_000_000 + step / 3)
        switch step % 3 {
        case 0:
            let member = Sender.member(id, clientData: ByteBuffer(string: "\(step)"))
            return (room, .join(JoinCommand(connection: connection, member: member, clientID: id)))
        case 1: return (room, .linger(id, connection))
        default: return (room, step % 2 == 0 ? .graceEnded(id) : .leave(id, connection))
        }
    }

    private mutating func publish(into room: Int) -> (room: Int, command: RoomCommand) {
        self.counts[room] += 1
        let message = LoadMessage(node: self.settings.node, count: self.counts[room], sent: LoadMessage.now)
        let origin = Origin(
            connection: ConnectionRef(shard: self.settings.node, number: UInt64(room)),
            callback: 1
        )
        let key = UniqueID(high: UInt64(room), low: message.count << 8 | UInt64(self.settings.node))
        return (
            room,
            .publish(
                PublishCommand(
                    origin: origin,
                    sender: self.sender,
                    message: message.json(self.padding),
                    messageID: self.settings.isKeyed ? key : nil
                )
            )
        )
    }
}

/// A message of a load: a JSON string of 36 digits and padding.
struct LoadMessage {
    static let length = 38

    let node: Int
    let count: UInt64
    /// Nanoseconds of the machine's monotonic clock.
    let sent: UInt64

    init(node: Int, count: UInt64, sent: UInt64) {
        self.node = node
        self.count = count
        self.sent = sent
    }

    /// Nanoseconds of a clock that all processes of a machine share.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    init?(_ json: ByteBuffer) {
        let parsed = json.withUnsafeReadableBytes { bytes -> (UInt64, UInt64, UInt64)? in
            guard bytes.count >= Self.length, bytes[0] == UInt8(ascii: "\"") else { return nil }
            return (Self.number(bytes[1..<5]), Self.number(bytes[5..<21]), Self.number(bytes[21..<37]))
        }
        guard let parsed else { return nil }
        self.init(node: Int(parsed.0), count: parsed.1, sent: parsed.2)
    }

    func json(_ padding: [UInt8]) -> ByteBuffer {
        var bytes = ByteBuffer()
        bytes.reserveCapacity(Self.length + padding.count)
        bytes.writeInteger(UInt8(ascii: "\""))
        Self.write(UInt64(self.node), digits: 4, into: &bytes)
        Self.write(self.count, digits: 16, into: &bytes)
        Self.write(self.sent, digits: 16, into: &bytes)
        bytes.writeBytes(padding)
        bytes.writeInteger(UInt8(ascii: "\""))
        return bytes
    }

    private static func write(_ number: UInt64, digits: Int, into bytes: inout ByteBuffer) {
        for digit in (0..<digits).reversed() {
            let value = UInt8(truncatingIfNeeded: number >> UInt64(4 * digit)) & 0xf
            bytes.writeInteger(value + (value > 9 ? 87 : 48))
        }
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        digits.reduce(0) { $0 << 4 | UInt64($1 > 57 ? $1 - 87 : $1 - 48) }
    }
}
