import NIOCore
import RoomCore
import RoomModel

/// The commands of a record that is being gathered, already as bytes: each is written down once.
struct RecordDraft: Sendable {
    private var settings = IndexedValues<RoomSettings>()
    private var rooms = IndexedValues<RoomKey>()
    /// By the index of their room.
    private var settingsOfRooms: [RoomSettings] = []
    private var commands = RecordWriter()
    private var count = 0

    /// The most bytes that a record has before its settings, before the names of its rooms and before its commands: version,
    /// attempt, kind and five numbers.
    private static let head = 50

    var isEmpty: Bool { self.count == 0 }

    /// Adds the command if the record is none that is larger than `PartitionRecord.largest` with it, and has no other settings of its
    /// room.
    ///
    /// - Returns: whether it was added. A draft without commands takes any.
    mutating func add(_ entry: PartitionRecord.Command) -> Bool {
        if let index = self.rooms.indices[entry.room], self.settingsOfRooms[index] != entry.settings { return false }
        let (settings, rooms, commands) = (self.settings.end, self.rooms.end, self.commands.count)
        self.append(entry)
        guard self.count > 1, Self.head + self.bytes > PartitionRecord.largest else { return true }
        self.settings.remove(entry.settings, behind: settings)
        self.rooms.remove(entry.room, behind: rooms)
        self.settingsOfRooms.removeSubrange(self.rooms.indices.count...)
        self.commands.removeAll(behind: commands)
        self.count -= 1
        return false
    }

    private var bytes: Int { self.settings.end + self.rooms.end + self.commands.count }

    mutating func append(_ entry: PartitionRecord.Command) {
        self.commands.write(count: self.index(of: entry))
        self.commands.write(entry.command)
        self.count += 1
    }

    private mutating func index(of entry: PartitionRecord.Command) -> Int {
        if let index = self.rooms.indices[entry.room] { return index }
        let settings = self.settings.indices[entry.settings] ?? self.settings.add(entry.settings) { $0.write($1) }
        self.settingsOfRooms.append(entry.settings)
        return self.rooms.add(entry.room) { writer, room in
            writer.write(room)
            writer.write(count: settings)
        }
    }

    /// What a record of these commands has behind its kind.
    func write(to writer: inout RecordWriter) {
        self.settings.write(to: &writer)
        self.rooms.write(to: &writer)
        writer.write(count: self.count)
        writer.append(self.commands.bytes)
    }
}

/// Values that commands name by their index.
private struct IndexedValues<Value: Hashable & Sendable>: Sendable {
    private(set) var indices: [Value: Int] = [:]
    private var writer = RecordWriter()

    var end: Int { self.writer.count }

    mutating func add(_ value: Value, _ write: (inout RecordWriter, Value) -> Void) -> Int {
        let index = self.indices.count
        self.indices[value] = index
        write(&self.writer, value)
        return index
    }

    /// Takes the value out again if it was added behind that place.
    mutating func remove(_ value: Value, behind end: Int) {
        guard self.end > end else { return }
        self.indices[value] = nil
        self.writer.removeAll(behind: end)
    }

    func write(to writer: inout RecordWriter) {
        writer.write(count: self.indices.count)
        writer.append(self.writer.bytes)
    }
}
