import DequeModule
import NIOCore
import RoomCore

/// Records of the log that wait until the history has room for what they change.
struct HeldRecords {
    struct Record {
        var place: LogOffset
        /// When the log took it, in Unix milliseconds.
        var time: Int64
        var bytes: ByteBuffer
    }

    private var records: Deque<Record> = []
    private var bytes = 0

    static let limit = 32 << 20

    var isEmpty: Bool { self.records.isEmpty }
    var last: LogOffset? { self.records.last?.place }

    /// - Returns: whether there was room for it.
    mutating func add(_ record: Record) -> Bool {
        guard self.isEmpty || self.bytes + record.bytes.readableBytes <= Self.limit else { return false }
        self.bytes += record.bytes.readableBytes
        self.records.append(record)
        return true
    }

    mutating func popFirst() -> Record? {
        guard let record = self.records.popFirst() else { return nil }
        self.bytes -= record.bytes.readableBytes
        return record
    }
}
