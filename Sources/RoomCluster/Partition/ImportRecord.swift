import NIOCore
package import RoomCore
package import RoomModel

/// A part of an export that becomes the log of a room of a partition, or goes on with it.
package struct ImportRecord: Equatable, Sendable {
    package var room: RoomKey
    /// What the node that sends it knows of the room's settings.
    package var settings: RoomSettings
    /// Where the part before has ended; `nil`: this is the first one.
    package var after: Position?
    /// One at least: `seq` ascends without holes, ids ascend.
    package var entries: [LogEntry]

    /// What has become of a part.
    package enum Outcome: Equatable, Sendable {
        /// It is in the log of the room, which ends here.
        case stored(Position)
        /// The room has messages, or has had some since it began.
        case occupied
        /// The log does not end where the part before has, or the room keeps no history.
        case movedOn
    }
}

extension LogImport {
    /// The bytes that it takes in a record, at most.
    var recordSize: Int {
        self.entries.reduce(PartitionRecord.frame) { $0 + $1.tail.readableBytes + Self.bytesOfEntry }
    }

    /// Kind, id and length.
    private static let bytesOfEntry = 1 + 16 + 5
}

// MARK: As bytes

extension RecordWriter {
    mutating func write(_ part: ImportRecord) {
        self.write(part.room)
        self.write(part.settings)
        self.write(flags: part.after != nil)
        if let after = part.after {
            self.write(bits: after.epoch?.rawValue ?? 0)
            self.write(after.seq)
        }
        self.write(part.entries.first?.seq ?? 0)
        self.write(count: part.entries.count)
        for entry in part.entries {
            self.write(byte: entry.kind.rawValue)
            self.write(entry.id)
            self.write(bytes: entry.tail)
        }
    }
}

extension RecordReader {
    mutating func importRecord() throws(RecordError) -> ImportRecord {
        let (room, settings): (RoomKey, RoomSettings) = (try self.read("room"), try self.read("settings"))
        var after: Position?
        if try self.flags("flags of an import", 1)[0] {
            let epoch: Epoch = try self.read("epoch of an import")
            after = Position(epoch: epoch, seq: try self.seq("seq before an import"))
        }
        let first = try self.seq("seq of an import")
        guard first > 0 else { throw self.error("seq of an import", .invalid("the first is 1")) }
        let count = try self.count("number of imported messages", in: 1...max(1, self.left))
        guard first <= Self.highestSeq - UInt64(count) else {
            throw self.error("number of imported messages", .invalid("more than a room can have"))
        }
        var entries: [LogEntry] = []
        for offset in 0..<UInt64(count) {
            let byte = try self.byte("kind of an imported message")
            guard let kind = EntryKind(rawValue: byte) else {
                throw self.error("kind of an imported message", .unknown("kind \(byte)"))
            }
            let id = try self.id("id of an imported message")
            guard id.isVersion7, entries.last.map({ $0.id < id }) ?? true else {
                throw self.error("id of an imported message", .invalid("not behind the one before"))
            }
            let tail = try self.data("imported message")
            entries.append(LogEntry(kind, seq: first + offset, id: id, tail: tail))
        }
        return ImportRecord(room: room, settings: settings, after: after, entries: entries)
    }

    /// So many messages no room gets.
    private static let highestSeq: UInt64 = 1 << 62

    mutating func seq(_ part: StaticString) throws(RecordError) -> UInt64 {
        UInt64(try self.count(part, of: Self.highestSeq))
    }
}
