package import NIOCore
package import RoomCore
package import RoomModel

/// Commands of one room and the turn in which the room takes them: all that changes the room's order, as one value that can be
/// written down, read back and applied again with the same outcome (decision 0042). The log of a cluster has `PartitionRecord`s,
/// of which a turn follows.
package struct RoomRecord: Equatable, Sendable {
    /// The only version of the bytes so far. Whoever reads another one refuses it: a record that is skipped would make this
    /// node's room another one than everybody else's.
    package static let version: UInt8 = 1

    /// Which append of which node it is: a repeat is recognised by it.
    package struct Origin: Hashable, Sendable {
        package var node: NodeNumber
        package var number: UInt64

        package init(node: NodeNumber, number: UInt64) {
            self.node = node
            self.number = number
        }
    }

    /// `nil`: of a broker that runs alone.
    package var origin: Origin?
    package var room: RoomKey
    package var turn: RoomTurn
    package var commands: [RoomCommand]

    package init(origin: Origin? = nil, room: RoomKey, turn: RoomTurn, commands: [RoomCommand]) {
        self.origin = origin
        self.room = room
        self.turn = turn
        self.commands = commands
    }
}

extension RoomRecord {
    package var encoded: ByteBuffer {
        var writer = RecordWriter()
        writer.write(byte: Self.version)
        self.write(to: &writer)
        return writer.bytes
    }

    /// Reads all of `bytes`. Every value has one encoding only, so that equal records have equal bytes.
    package init(decoding bytes: ByteBuffer) throws(RecordError) {
        var reader = RecordReader(bytes)
        try reader.version(Self.version, of: "records")
        try self.init(from: &reader)
        try reader.end()
    }

    private func write(to writer: inout RecordWriter) {
        writer.write(flags: self.origin != nil, self.turn.hasPlace)
        if let origin {
            writer.write(origin.node.rawValue)
            writer.write(origin.number)
        }
        writer.write(self.room)
        writer.write(UInt64(bitPattern: self.turn.milliseconds))
        writer.write(UInt64(bitPattern: self.turn.steadyMilliseconds))
        writer.write(self.turn.ids)
        writer.write(UInt64(self.commands.count))
        for command in self.commands { writer.write(command) }
    }

    private init(from reader: inout RecordReader) throws(RecordError) {
        let (hasOrigin, hasPlace) = try reader.flags("flags of the record", 2).two
        var origin: Origin?
        if hasOrigin {
            let node: NodeNumber = try reader.read("node of the record")
            origin = Origin(node: node, number: try reader.number("number of the record"))
        }
        let room: RoomKey = try reader.read("room")
        let milliseconds = try reader.time("time")
        let steady = try reader.time("steady time")
        let ids: IDSequence = try reader.read("ids")
        // each takes a byte at least, so no more of them are believed than there are bytes
        let count = try reader.count("number of commands", of: UInt64(reader.left))
        var commands: [RoomCommand] = []
        for _ in 0..<count { commands.append(try reader.read("command")) }
        self.init(
            origin: origin,
            room: room,
            turn: RoomTurn(milliseconds: milliseconds, steadyMilliseconds: steady, ids: ids, hasPlace: hasPlace),
            commands: commands
        )
    }
}
