import NIOCore
package import RoomCore
package import RoomModel

/// What one node appends to the log of a partition in one go. Neither time nor ids are in it: they follow from its place in
/// the log, so that they are the same on every node (decision 0038).
///
///     version 1 | attempt 1 | node | number | kind 1 | the rest by kind
///
/// Of commands: how many settings, each of them, how many rooms, channel, name and index of the settings of each, how many commands,
/// and each with the index of its room before it. Settings and rooms are in the order of their first use, so a record has one
/// encoding only.
package struct PartitionRecord: Equatable, Sendable {
    /// The only version of the bytes so far; a reader refuses another one.
    static let version: UInt8 = 1
    /// The most bytes of a record of several commands, so that one record delays no other by much. Only a single command may
    /// make one that is larger.
    static let largest = 128 * 1024
    /// The most bytes of any record: a message of NATS has a megabyte by default.
    static let utmost = 1_000_000
    /// What a record of a single publish has beside the message and its sender, at most: names, settings and the like.
    static let frame = 4_096
    /// Where the attempt stands: a repeat differs from the record in this byte only.
    static let attemptOffset = 1

    /// How often it was sent before. By it the sender knows which copy it sees.
    package var attempt: UInt8 = 0
    /// The life of the node that sends it.
    package var node: NodeNumber
    /// Ascending by one from 1 within a node's life and a partition. A record counts if its number is the next one.
    package var number: UInt64
    package var content: Content

    package enum Content: Equatable, Sendable {
        case commands([Command])
        /// Nothing, but time has passed.
        case tick
        /// A node does not live any more: its members linger, and what it still appends does not count.
        case gone(NodeNumber)
        /// The text of the message with this stamp, which was redacted, is not in the log any more.
        case erased(UniqueID)
        /// An operator does not want these messages of the room any more, nor older ones.
        case pruned(RoomKey, through: Position)
        /// Messages of an export become those of a room.
        case imported(ImportRecord)
    }

    /// A command and its room.
    package struct Command: Equatable, Sendable {
        package var room: RoomKey
        /// What the node that sends it knows of the room's settings: a room that begins with it has them, and one whose settings are
        /// older gets them. They are the same in all entries that a record has of a room.
        package var settings: RoomSettings
        package var command: RoomCommand

        package init(_ command: RoomCommand, in room: RoomKey, _ settings: RoomSettings) {
            self.room = room
            self.settings = settings
            self.command = command
        }
    }
}

extension PartitionRecord {
    private enum Kind: UInt8 {
        case commands = 1
        case tick = 2
        case gone = 3
        case erased = 4
        case pruned = 5
        case imported = 6
    }

    var encoded: ByteBuffer {
        switch self.content {
        case .commands(let entries):
            var draft = RecordDraft()
            for entry in entries { draft.append(entry) }
            return self.encoded(.commands) { draft.write(to: &$0) }
        case .tick: return self.encoded(.tick) { _ in }
        case .gone(let node): return self.encoded(.gone) { $0.write(node.rawValue) }
        case .erased(let id): return self.encoded(.erased) { $0.write(id) }
        case .pruned(let room, let place):
            return self.encoded(.pruned) { writer in
                writer.write(room)
                writer.write(bits: place.epoch?.rawValue ?? 0)
                writer.write(place.seq)
            }
        case .imported(let part): return self.encoded(.imported) { $0.write(part) }
        }
    }

    /// The record of these commands.
    static func encoded(_ draft: RecordDraft, node: NodeNumber, number: UInt64) -> ByteBuffer {
        let record = PartitionRecord(node: node, number: number, content: .commands([]))
        return record.encoded(.commands) { draft.write(to: &$0) }
    }

    private func encoded(_ kind: Kind, _ rest: (inout RecordWriter) -> Void) -> ByteBuffer {
        var writer = RecordWriter()
        writer.write(byte: Self.version)
        writer.write(byte: self.attempt)
        writer.write(self.node.rawValue)
        writer.write(self.number)
        writer.write(byte: kind.rawValue)
        rest(&writer)
        return writer.bytes
    }

    /// Reads all of `bytes`.
    init(decoding bytes: ByteBuffer) throws(RecordError) {
        var reader = RecordReader(bytes)
        try reader.version(Self.version, of: "a partition's records")
        let attempt = try reader.byte("attempt")
        let node: NodeNumber = try reader.read("node of the record")
        let number = try reader.number("number of the record")
        guard number > 0 else { throw reader.error("number of the record", .invalid("the first number is 1")) }
        let kind = try reader.byte("kind of the record")
        let content: Content
        switch Kind(rawValue: kind) {
        case .commands: content = .commands(try Self.entries(from: &reader))
        case .tick: content = .tick
        case .gone: content = .gone(try reader.read("node that is gone"))
        case .erased: content = .erased(try reader.id("message whose text is erased"))
        case .pruned:
            let (room, epoch): (RoomKey, Epoch) = (try reader.read("room"), try reader.read("epoch of pruned messages"))
            let seq = try reader.seq("seq of pruned messages")
            content = .pruned(room, through: Position(epoch: epoch, seq: seq))
        case .imported: content = .imported(try reader.importRecord())
        case nil: throw reader.error("kind of the record", .unknown("kind \(kind)"))
        }
        try reader.end()
        self.init(attempt: attempt, node: node, number: number, content: content)
    }

    private static func entries(from reader: inout RecordReader) throws(RecordError) -> [Command] {
        let rooms = try self.rooms(from: &reader)
        // each takes two bytes at least, so no more of them are believed than there are bytes
        let count = try reader.count("number of commands", of: UInt64(reader.left))
        var entries: [Command] = []
        var used = 0
        for _ in 0..<count {
            let index = try reader.count("room of a command")
            guard index < rooms.count else { throw reader.error("room of a command", .invalid("no room \(index)")) }
            guard index <= used else {
                throw reader.error("room of a command", .invalid("room \(index) before room \(used)"))
            }
            used = max(used, index + 1)
            entries.append(Command(try reader.read("command"), in: rooms[index].room, rooms[index].settings))
        }
        guard used == rooms.count else { throw reader.error("rooms", .invalid("a room without a command")) }
        return entries
    }

    private static func rooms(
        from reader: inout RecordReader
    ) throws(RecordError) -> [(room: RoomKey, settings: RoomSettings)] {
        var (settings, distinct): ([RoomSettings], Set<RoomSettings>) = ([], [])
        for _ in 0..<(try reader.count("number of settings", of: UInt64(reader.left))) {
            let next: RoomSettings = try reader.read("settings")
            guard distinct.insert(next).inserted else { throw reader.error("settings", .invalid("the same twice")) }
            settings.append(next)
        }
        let count = try reader.count("number of rooms", of: UInt64(reader.left))
        var rooms: [(room: RoomKey, settings: RoomSettings)] = []
        var (known, used): (Set<RoomKey>, Int) = ([], 0)
        for _ in 0..<count {
            let room: RoomKey = try reader.read("room")
            guard known.insert(room).inserted else { throw reader.error("room", .invalid("the same room twice")) }
            let index = try reader.count("settings of a room")
            guard index < settings.count, index <= used else {
                throw reader.error("settings of a room", .invalid("no settings \(index), or before settings \(used)"))
            }
            used = max(used, index + 1)
            rooms.append((room, settings[index]))
        }
        guard used == settings.count else { throw reader.error("settings", .invalid("of no room")) }
        return rooms
    }
}
