import NIOCore
import RoomModel

@testable import RoomCluster
@testable import RoomCore

/// Bytes are a partition that these bytes say and no others, or are refused where they are wrong; and a partition that was read
/// takes the next record.
enum SnapshotsFuzz: FuzzTarget {
    static let name = "snapshots"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        var partition: Partition
        do throws(RecordError) {
            partition = try Self.read(bytes.buffer)
        } catch {
            try demand(0...bytes.count ~= error.offset, "a fault at \(error.offset)")
            return try demand("\(error)".isOneSafeLine, "an error of more than one line")
        }
        try demand(partition.encoded.readableBytesView.elementsEqual(bytes), "other bytes of the same partition")
        let (place, node) = (partition.accepted.place?.next ?? .first, NodeNumber(rawValue: .max))
        guard let number = partition.accepted.nextNumber(of: node) else { return }
        let entries = partition.roomKeys.map {
            PartitionRecord.Command(.publish(Self.publish), in: $0, Self.settings)
        }
        let record = PartitionRecord(node: node, number: number, content: .commands(entries))
        let applied = partition.apply(record, at: place, time: partition.accepted.time.milliseconds + 1_000)
        let rooms = Set(applied.batches.map(\.room))
        try demand(applied.outcome == .counts, "the next record does not count")
        try demand(entries.allSatisfy { rooms.contains($0.room) }, "a room without a batch")
    }

    private static func read(_ bytes: ByteBuffer) throws(RecordError) -> Partition {
        try Partition(decoding: bytes, limits: BrokerLimits())
    }

    private static let settings = RoomSettings(
        version: 1,
        history: nil,
        presence: .shown,
        showsAuthData: false,
        membersListed: 10,
        memberListBytes: 1_000,
        memberLimit: nil,
        roomLimit: 10,
        publishKeys: 10,
        longestGrace: 15_000
    )

    private static let publish = PublishCommand(
        origin: Origin(connection: ConnectionRef(shard: 0, number: 1), callback: 1),
        sender: .rest,
        message: ByteBuffer(string: "1"),
        messageID: UniqueID(high: 1, low: 1),
        author: .local
    )
}
