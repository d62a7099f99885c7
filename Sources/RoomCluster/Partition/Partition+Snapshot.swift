package import NIOCore
import RoomCore
import RoomModel

/// A partition as bytes, at the place of its newest record: with the records behind it they make what all records make.
///
///     version 1 | accepted records | time of forgotten ids | rooms: how many, the newest id and the rest of each |
///     whole rooms without members: how many, which | bare ones: how many, each with its time |
///     members that linger: how many, each with its room, its client and its end |
///     in version 2 only: texts that are to be erased from the log: how many, each with its room, its message and its redaction
///
/// Rooms are in the order of the bytes of their names, and named by their place in it. A partition has one encoding only, so nodes
/// can compare theirs.
extension Partition {
    /// The version of the bytes; a reader refuses another one.
    private static let version: UInt8 = 1
    /// That of a partition with texts that are to be erased.
    private static let versionWithErasures: UInt8 = 2

    package var encoded: ByteBuffer {
        var writer = RecordWriter()
        writer.write(byte: self.erasures.isEmpty ? Self.version : Self.versionWithErasures)
        self.accepted.write(to: &writer)
        writer.write(UInt64(bitPattern: self.forgottenIDs))
        let rooms = self.rooms.values.sorted { $0.room.key.precedes($1.room.key) }
        var indices: [RoomKey: Int] = [:]
        writer.write(count: rooms.count)
        for (index, room) in rooms.enumerated() {
            indices[room.room.key] = index
            writer.write(room.ids)
            room.room.write(to: &writer)
        }
        writer.write(count: self.empty.whole.count)
        for room in self.empty.whole.keys { writer.write(count: indices[room, default: 0]) }
        writer.write(count: self.empty.bare.count)
        for (room, since) in zip(self.empty.bare.keys, self.empty.bare.values) {
            writer.write(count: indices[room, default: 0])
            writer.write(UInt64(bitPattern: since))
        }
        let lingering = self.lingering.members.filter { self.lingers($0.member) }
        writer.write(count: lingering.count)
        for (member, end) in lingering {
            writer.write(count: indices[member.room, default: 0])
            writer.write(text: member.client.text)
            writer.write(UInt64(bitPattern: end))
        }
        if !self.erasures.isEmpty { writer.write(self.erasures) }
        return writer.bytes
    }

    /// Reads all of `bytes`. The limits have to be those of all nodes.
    init(decoding bytes: ByteBuffer, limits: BrokerLimits) throws(RecordError) {
        self.init(limits: limits)
        var reader = RecordReader(bytes)
        let version = try reader.version(
            Self.version...Self.versionWithErasures,
            of: "a partition's snapshots"
        )
        self.accepted = try AcceptedRecords(from: &reader)
        self.forgottenIDs = try reader.time("time of forgotten ids")
        let keys = try self.readRooms(from: &reader)
        try self.readRoomsWithoutMembers(keys, from: &reader)
        try self.readLingering(keys, from: &reader)
        if version == Self.versionWithErasures { self.erasures = try reader.erasures() }
        try reader.end()
        // what was not written here, and what could be written otherwise too
        guard self.encoded == bytes else { throw reader.error("end", .invalid("not as a partition is written")) }
    }

    private mutating func readRooms(from reader: inout RecordReader) throws(RecordError) -> [RoomKey] {
        var keys: [RoomKey] = []
        for _ in 0..<(try reader.count("number of rooms", of: UInt64(reader.left))) {
            let ids: IDSequence = try reader.read("ids")
            let room = try Room(from: &reader, limits: self.limits)
            self.add(PartitionRoom(room, ids: ids))
            keys.append(room.key)
        }
        self.countKeys()
        return keys
    }

    private mutating func readRoomsWithoutMembers(
        _ keys: [RoomKey],
        from reader: inout RecordReader
    ) throws(RecordError) {
        for _ in 0..<(try reader.count("number of whole rooms", of: UInt64(reader.left))) {
            self.empty.used(try Self.room("whole room", of: keys, from: &reader), hasMembers: false)
        }
        for _ in 0..<(try reader.count("number of bare rooms", of: UInt64(reader.left))) {
            let room = try Self.room("bare room", of: keys, from: &reader)
            self.empty.isBare(room, since: try reader.time("time of a bare room"))
        }
    }

    private mutating func readLingering(_ keys: [RoomKey], from reader: inout RecordReader) throws(RecordError) {
        for _ in 0..<(try reader.count("number of members that linger", of: UInt64(reader.left))) {
            let room = try Self.room("room of a member that lingers", of: keys, from: &reader)
            let member = LingeringMembers.Member(room: room, client: try reader.read("client that lingers"))
            self.lingering.began(member, until: Int64(try reader.count("end of a grace")))
        }
    }

    private static func room(
        _ part: StaticString,
        of keys: [RoomKey],
        from reader: inout RecordReader
    ) throws(RecordError) -> RoomKey {
        let index = try reader.count(part)
        guard index < keys.count else { throw reader.error(part, .invalid("no room \(index)")) }
        return keys[index]
    }
}

extension RoomKey {
    /// Rooms in the order of the bytes of their names: Swift compares text by what it means.
    func precedes(_ other: RoomKey) -> Bool {
        self.channel == other.channel
            ? self.room.text.utf8.lexicographicallyPrecedes(other.room.text.utf8)
            : self.channel.text.utf8.lexicographicallyPrecedes(other.channel.text.utf8)
    }
}
