import NIOCore
import RoomCore

@testable import RoomCluster

/// Bytes are a record of a partition that these bytes say and no others, or are refused where they are wrong; and a new partition takes
/// it, if it is the first one of its node.
enum PartitionRecordsFuzz: FuzzTarget {
    static let name = "partition-records"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        var record: PartitionRecord
        do throws(RecordError) {
            record = try PartitionRecord(decoding: bytes.buffer)
        } catch {
            try demand(0...bytes.count ~= error.offset, "a fault at \(error.offset)")
            return try demand("\(error)".isOneSafeLine, "an error of more than one line")
        }
        try demand(record.encoded.readableBytesView.elementsEqual(bytes), "other bytes of the same record")
        record.number = 1
        var partition = Partition(limits: BrokerLimits())
        let applied = partition.apply(record, at: .first, time: 1_000)
        try demand(applied.outcome != .ignored, "the first record does not count")
        let read = try Partition(decoding: partition.encoded, limits: BrokerLimits())
        try demand(read.encoded == partition.encoded, "another partition of its snapshot")
    }
}
