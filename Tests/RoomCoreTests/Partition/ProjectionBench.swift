import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCluster
@testable import RoomCore

/// A partition with its projection.
struct ProjectionBench {
    var log: PartitionBench
    var projection: Projection

    enum Wait: Equatable {
        case now
        case later
        case unavailable
        case reset
    }

    init(place: UInt64? = nil) {
        self.log = PartitionBench(Partition(limits: BrokerLimits()), .make(history: 1_000))
        let newest = place.map { KnownRecord(place: LogOffset(rawValue: $0), time: nil) }
        let found = ProjectedPartition(partition: 3, generation: 1, newest: newest, snapshot: nil)
        self.projection = Projection(found, now: 0, gathering: 50_000_000)
    }

    @discardableResult
    mutating func publish(
        _ message: String,
        in room: String = "room",
        at time: UInt64,
        recordBytes: Int = 100
    ) -> [LogEntry] {
        let publish = PublishCommand.make(message, messageID: self.log.place.rawValue)
        return self.append(.publish(publish), in: room, at: time, recordBytes: recordBytes)
    }

    mutating func redact(_ entry: LogEntry, at time: UInt64) {
        let tombstone = Tombstone(seq: entry.seq, id: entry.id, tail: ByteBuffer(string: "gone"))
        let redact = RedactCommand(
            origin: Origin(connection: .make(), callback: 1),
            sender: .make("mod"),
            reason: nil,
            epoch: self.log.partition[.make()]?.epoch ?? Epoch(rawValue: 0),
            newest: .max,
            tombstone: tombstone
        )
        self.append(.redact(redact), at: time)
    }

    @discardableResult
    mutating func append(
        _ command: RoomCommand,
        in room: String = "room",
        at time: UInt64,
        recordBytes: Int = 100
    ) -> [LogEntry] {
        let applied = self.log.append(command, in: .make(room), at: Int64(time))
        self.add(applied, at: time, recordBytes)
        return applied.batches.flatMap(\.logEntries)
    }

    mutating func tick(at time: UInt64) { self.add(self.log.append(1, at: Int64(time)), at: time, 10) }

    /// - Parameter epoch: `nil`: that of the room.
    mutating func prune(through seq: UInt64, epoch: Epoch? = nil, at time: UInt64) {
        let place = Position(epoch: epoch ?? self.log.partition[.make()]?.epoch, seq: seq)
        self.add(self.log.append(1, at: Int64(time), .pruned(.make(), through: place)), at: time, 10)
    }

    /// Imports messages, each in a part of its own that goes on with the room's log.
    ///
    /// - Returns: the epochs that the room has had behind them.
    mutating func importParts(_ seqs: [UInt64], at time: UInt64) -> [Epoch?] {
        let settings = RoomChannel(settings: .make(history: 1_000)).roomSettings(of: RoomName("room"), BrokerLimits())
        return seqs.map { seq in
            let epoch = self.log.partition[.make()]?.epoch
            let entry = LogEntry(seq: seq, id: .make(seq), tail: ByteBuffer(string: "\(seq)"))
            let after = seq == 1 ? nil : Position(epoch: epoch, seq: seq - 1)
            let part = ImportRecord(room: .make(), settings: settings, after: after, entries: [entry])
            self.add(self.log.append(1, at: Int64(time), .imported(part)), at: time, 10)
            return self.log.partition[.make()]?.epoch
        }
    }

    private mutating func add(_ applied: Partition.Applied, at time: UInt64, _ recordBytes: Int) {
        self.projection.add(
            applied.changes,
            of: self.log.partition,
            recordTime: Int64(time),
            recordBytes: recordBytes,
            now: time * 1_000_000
        )
    }

    mutating func take(at time: UInt64) -> ProjectionWrite? { self.projection.take(now: time * 1_000_000) }

    mutating func write(at time: UInt64) throws -> ProjectionWrite {
        let write = self.take(at: time)
        return try #require(write)
    }

    mutating func change(at time: UInt64) throws -> RoomChange {
        let change = try self.write(at: time).changes.first
        return try #require(change)
    }

    mutating func wait(for place: UInt64?) -> Wait {
        switch self.projection.wait(for: place.map { LogOffset(rawValue: $0) }, { _ in }) {
        case nil: .later
        case .success: .now
        case .failure(.reset): .reset
        case .failure: .unavailable
        }
    }
}
