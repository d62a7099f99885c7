import NIOCore
import RoomModel

/// The commands of a record that is being gathered, already as bytes: each is written down once.
struct RecordDraft: Sendable {
    private var indices: [RoomKey: Int] = [:]
    private var rooms = RecordWriter()
    private var commands = RecordWriter()
    private var count = 0

    /// The most bytes that a record has before the names of its rooms and before its commands: version, attempt, kind and four
    /// numbers.
    private static let head = 40

    var isEmpty: Bool { self.count == 0 }

    /// Adds the command if the record is none that is larger than `PartitionRecord.largest` with it.
    ///
    /// - Returns: whether it was added. A draft without commands takes any.
    mutating func add(_ command: RoomCommand, in room: RoomKey) -> Bool {
        let (rooms, commands) = (self.rooms.count, self.commands.count)
        self.append(command, in: room)
        guard self.count > 1, Self.head + self.rooms.count + self.commands.count > PartitionRecord.largest else {
            return true
        }
        if self.rooms.count > rooms { self.indices[room] = nil }
        self.rooms.removeAll(behind: rooms)
        self.commands.removeAll(behind: commands)
        self.count -= 1
        return false
    }

    mutating func append(_ command: RoomCommand, in room: RoomKey) {
        self.commands.write(count: self.index(of: room))
        self.commands.write(command)
        self.count += 1
    }

    private mutating func index(of room: RoomKey) -> Int {
        if let index = self.indices[room] { return index }
        let index = self.indices.count
        self.indices[room] = index
        self.rooms.write(room)
        return index
    }

    /// What a record of these commands has behind its kind.
    func write(to writer: inout RecordWriter) {
        writer.write(count: self.indices.count)
        writer.append(self.rooms.bytes)
        writer.write(count: self.count)
        writer.append(self.commands.bytes)
    }
}
