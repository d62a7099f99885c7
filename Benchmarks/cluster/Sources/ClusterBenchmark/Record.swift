import NIOCore
import RoomCore
import RoomModel

/// Which copy of which record.
struct RecordName: Equatable {
    let incarnation: UInt64
    let number: UInt64
    let attempt: UInt8
}

/// What one node appends to one partition in one turn: the commands of many rooms, as values.
///
///     version 1 | attempt 1 | incarnation 8 | number 8 | rooms 2 | per room: length 1, name | commands 4 | the commands
///
/// Integers are little-endian. A command begins with its kind (1) and the index of its room (2).
struct Record {
    static let version: UInt8 = 1
    /// Where the attempt stands.
    static let attemptOffset = 1

    /// How often it was sent before. Tells its sender what has become of all that was sent before this copy.
    var attempt: UInt8
    /// The life of the node that sends it.
    var incarnation: UInt64
    /// Ascending without holes within an incarnation and a partition.
    var number: UInt64
    var name: RecordName {
        RecordName(incarnation: self.incarnation, number: self.number, attempt: self.attempt)
    }
    var rooms: [RoomName]
    var commands: [(room: Int, command: RoomCommand)]

    private enum Kind: UInt8 {
        case publish, join, leave, linger, graceEnded
    }

    private enum Flag {
        static let callback: UInt8 = 1
        static let messageID: UInt8 = 2
        static let ephemeral: UInt8 = 4
        static let echoes: UInt8 = 8
        static let author: UInt8 = 16
    }

    /// - Returns: `nil` for bytes that are no record.
    init?(_ bytes: ByteBuffer) {
        var bytes = bytes
        guard bytes.readInteger(as: UInt8.self) == Self.version, let attempt = bytes.readInteger(as: UInt8.self),
            let (incarnation, number, roomCount) = bytes.readMultipleIntegers(
                endianness: .little,
                as: (UInt64, UInt64, UInt16).self
            )
        else { return nil }
        self.attempt = attempt
        self.incarnation = incarnation
        self.number = number
        self.rooms = []
        for _ in 0..<roomCount {
            guard let length = bytes.readInteger(as: UInt8.self), let name = bytes.readString(length: Int(length))
            else { return nil }
            self.rooms.append(RoomName(name))
        }
        guard let count = bytes.readInteger(endianness: .little, as: UInt32.self) else { return nil }
        self.commands = []
        self.commands.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let kind = bytes.readInteger(as: UInt8.self).flatMap(Kind.init),
                let room = bytes.readInteger(endianness: .little, as: UInt16.self), room < roomCount,
                let command = Self.readCommand(kind, &bytes)
            else { return nil }
            self.commands.append((Int(room), command))
        }
    }

    private static func readCommand(_ kind: Kind, _ bytes: inout ByteBuffer) -> RoomCommand? {
        if kind == .graceEnded { return bytes.readClientID().map { .graceEnded($0) } }
        guard let connection = bytes.readConnection() else { return nil }
        switch kind {
        case .publish: return self.readPublish(from: connection, &bytes).map { .publish($0) }
        case .join:
            guard let member = bytes.readSender(), let id = member.clientID else { return nil }
            return .join(JoinCommand(connection: connection, member: member, clientID: id))
        case .leave: return bytes.readClientID().map { .leave($0, connection) }
        case .linger: return bytes.readClientID().map { .linger($0, connection) }
        case .graceEnded: return nil
        }
    }

    private static func readPublish(from connection: ConnectionRef, _ bytes: inout ByteBuffer) -> PublishCommand? {
        guard let flags = bytes.readInteger(as: UInt8.self),
            let callback = bytes.readInteger(endianness: .little, as: Int64.self),
            let high = bytes.readInteger(endianness: .little, as: UInt64.self),
            let low = bytes.readInteger(endianness: .little, as: UInt64.self),
            let sender = bytes.readSender(),
            let length = bytes.readInteger(endianness: .little, as: UInt32.self),
            let message = bytes.readSlice(length: Int(length))
        else { return nil }
        return PublishCommand(
            origin: Origin(connection: connection, callback: flags & Flag.callback != 0 ? callback : nil),
            sender: sender,
            message: message,
            messageID: flags & Flag.messageID != 0 ? UniqueID(high: high, low: low) : nil,
            isEphemeral: flags & Flag.ephemeral != 0,
            echoes: flags & Flag.echoes != 0,
            author: flags & Flag.author != 0 ? sender.clientID.map { .client($0) } : nil
        )
    }

    /// Appends a command.
    ///
    /// - Returns: whether it is one that records can have.
    static func write(_ command: RoomCommand, room: UInt16, into bytes: inout ByteBuffer) -> Bool {
        func begin(_ kind: Kind) {
            bytes.writeInteger(kind.rawValue)
            bytes.writeInteger(room, endianness: .little)
        }
        switch command {
        case .publish(let publish):
            begin(.publish)
            self.write(publish, into: &bytes)
        case .join(let join):
            begin(.join)
            bytes.write(join.connection)
            bytes.write(join.member)
        case .leave(let id, let connection):
            begin(.leave)
            bytes.write(connection)
            bytes.write(id)
        case .linger(let id, let connection, _):
            begin(.linger)
            bytes.write(connection)
            bytes.write(id)
        case .graceEnded(let id):
            begin(.graceEnded)
            bytes.write(id)
        default: return false
        }
        return true
    }

    private static func write(_ publish: PublishCommand, into bytes: inout ByteBuffer) {
        var flags: UInt8 = 0
        if publish.origin.callback != nil { flags |= Flag.callback }
        if publish.messageID != nil { flags |= Flag.messageID }
        if publish.isEphemeral { flags |= Flag.ephemeral }
        if publish.echoes { flags |= Flag.echoes }
        if publish.author != nil { flags |= Flag.author }
        bytes.write(publish.origin.connection)
        bytes.writeInteger(flags)
        bytes.writeInteger(publish.origin.callback ?? 0, endianness: .little)
        bytes.writeInteger(publish.messageID?.high ?? 0, endianness: .little)
        bytes.writeInteger(publish.messageID?.low ?? 0, endianness: .little)
        bytes.write(publish.sender)
        bytes.writeInteger(UInt32(publish.message.readableBytes), endianness: .little)
        bytes.writeImmutableBuffer(publish.message)
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ connection: ConnectionRef) {
        self.writeInteger(UInt16(connection.shard), endianness: .little)
        self.writeInteger(connection.number, endianness: .little)
    }

    fileprivate mutating func readConnection() -> ConnectionRef? {
        guard let (shard, number) = self.readMultipleIntegers(endianness: .little, as: (UInt16, UInt64).self) else {
            return nil
        }
        return ConnectionRef(shard: Int(shard), number: number)
    }

    fileprivate mutating func write(_ id: ClientID) {
        self.writeInteger(UInt8(id.text.utf8.count))
        self.writeString(id.text)
    }

    fileprivate mutating func readClientID() -> ClientID? {
        guard let length = self.readInteger(as: UInt8.self), let text = self.readString(length: Int(length)) else {
            return nil
        }
        return ClientID(text)
    }

    fileprivate mutating func write(_ sender: Sender) {
        self.write(sender.clientID ?? ClientID(""))
        self.writeInteger(UInt16(sender.json.readableBytes), endianness: .little)
        self.writeImmutableBuffer(sender.json)
    }

    fileprivate mutating func readSender() -> Sender? {
        guard let id = self.readClientID(), let length = self.readInteger(endianness: .little, as: UInt16.self),
            let json = self.readSlice(length: Int(length))
        else { return nil }
        return Sender(clientID: id.text.isEmpty ? nil : id, json: json)
    }
}
