import NIOCore
import RoomCluster
import RoomCore
import Testing

/// What every log owes those who follow it, on each kind of log.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PartitionLogContractTests {
    private func follow(
        _ partition: any PartitionUnderTest,
        from first: UInt64 = 1
    ) async throws -> (log: any PartitionLog, received: Received) {
        let (log, received) = (try await partition.log(), Received())
        log.follow(from: LogOffset(rawValue: first)) { received.receive($0) }
        return (log, received)
    }

    /// A partition with records 1 to `count`, whose texts are their numbers, and one who has followed them.
    private func fill(
        _ kind: PartitionKind,
        _ count: Int
    ) async throws -> (partition: any PartitionUnderTest, log: any PartitionLog, received: Received) {
        let partition = try await kind.make()
        let (log, received) = try await self.follow(partition)
        try await partition.store((1...count).map(String.init))
        await received.wait { $0.count == count }
        return (partition, log, received)
    }

    @Test(arguments: PartitionKind.all)
    func `all see the same places, times and bytes, from wherever they follow`(_ kind: PartitionKind) async throws {
        let (partition, log, received) = try await self.fill(kind, 50)
        let (other, second) = try await self.follow(partition, from: 21)
        await second.wait { $0.count == 30 }
        #expect(received.all.map(\.place) == Array(1...50))
        #expect(received.texts == (1...50).map(String.init))
        #expect(second.all == Array(received.all[20...]))
        await second.waitForEvents { $0.contains(.connected) }
        await other.append("of the other", until: second)
        await received.wait { $0.count >= 51 }
        #expect(received.all[50] == second.all[30])
        log.close()
        other.close()
    }

    @Test(arguments: PartitionKind.all)
    func `it is told that the log is reached, once`(_ kind: PartitionKind) async throws {
        let (_, log, received) = try await self.fill(kind, 1)
        await received.waitForEvents { $0.contains(.connected) }
        #expect(received.events.count { $0 == .connected } == 1)
        #expect(!received.events.contains(.disconnected))
        log.close()
    }

    @Test(arguments: PartitionKind.all)
    func `an empty record is not an erased one`(_ kind: PartitionKind) async throws {
        let partition = try await kind.make()
        let (log, received) = try await self.follow(partition)
        await log.append("", until: received)
        #expect(Set(received.texts) == [""])
        log.close()
    }

    @Test(arguments: PartitionKind.all)
    func `an erased record is told as one without bytes`(_ kind: PartitionKind) async throws {
        let (partition, log, received) = try await self.fill(kind, 9)
        for place: UInt64 in [2, 4, 5, 8] { try await partition.erase(place) }
        let (other, second) = try await self.follow(partition)
        await second.wait { $0.count == 9 }
        #expect(second.all.map(\.place) == Array(1...9))
        #expect(second.texts.map { $0 == nil } == [false, true, false, true, true, false, false, true, false])
        let whole = received.all
        for record in second.all where record.text != nil { #expect(record == whole[Int(record.place) - 1]) }
        // One that begins at an erased place, too.
        let (late, third) = try await self.follow(partition, from: 4)
        await third.wait { $0.count == 6 }
        #expect(third.all == Array(second.all[3...]))
        for log in [log, other, late] { log.close() }
    }

    @Test(arguments: PartitionKind.all)
    func `who follows from before a trimmed beginning is told where the log begins now`(
        _ kind: PartitionKind
    ) async throws {
        let (partition, log, _) = try await self.fill(kind, 9)
        try await partition.trim(to: 6)
        let (lost, first) = try await self.follow(partition, from: 5)
        await first.waitForEvents { $0.contains { if case .lost = $0 { true } else { false } } }
        #expect(first.events.last == .lost(first: LogOffset(rawValue: 6)))
        #expect(first.all == [])
        // The first one that is left is enough.
        let (other, second) = try await self.follow(partition, from: 6)
        await second.wait { $0.count == 4 }
        #expect(second.all.map(\.place) == [6, 7, 8, 9])
        // After it is lost no more records are told.
        try await partition.store(["10"])
        await second.wait { $0.count == 5 }
        #expect(first.all == [])
        for log in [log, lost, other] { log.close() }
    }

    @Test(arguments: PartitionKind.all)
    func `a log that was trimmed to its end is lost, although it has no record`(_ kind: PartitionKind) async throws {
        let (partition, log, _) = try await self.fill(kind, 3)
        try await partition.trim(to: 4)
        let (lost, first) = try await self.follow(partition, from: 3)
        await first.waitForEvents { $0.contains(.lost(first: LogOffset(rawValue: 4))) }
        let (other, second) = try await self.follow(partition, from: 4)
        try await partition.store(["4"])
        await second.wait { $0.count == 1 }
        #expect(second.all.map(\.place) == [4])
        for log in [log, lost, other] { log.close() }
    }

    @Test(arguments: PartitionKind.all)
    func `an erased record and a trimmed beginning are told apart`(_ kind: PartitionKind) async throws {
        let (partition, log, _) = try await self.fill(kind, 9)
        try await partition.erase(7)
        try await partition.trim(to: 6)
        let (other, received) = try await self.follow(partition, from: 6)
        await received.wait { $0.count == 4 }
        #expect(received.texts.map { $0 == nil } == [false, true, false, false])
        let (lost, second) = try await self.follow(partition, from: 2)
        await second.waitForEvents { $0.contains(.lost(first: LogOffset(rawValue: 6))) }
        for log in [log, other, lost] { log.close() }
    }

    @Test(arguments: PartitionKind.all)
    func `after the connection was cut following goes on, and no place is left out`(_ kind: PartitionKind) async throws
    {
        let (partition, log, received) = try await self.fill(kind, 3)
        await received.waitForEvents { $0.contains(.connected) }
        try await partition.cutOff()
        await received.waitForEvents { $0.contains(.disconnected) }
        try await partition.reconnect()
        await received.waitForEvents { $0.last == .connected }
        #expect(
            received.events.filter { $0 == .connected || $0 == .disconnected } == [
                .connected, .disconnected, .connected,
            ]
        )
        await log.append("after", until: received)
        // more may come meanwhile
        let places = received.all.map(\.place)
        #expect(places == Array(1...UInt64(places.count)))
        log.close()
    }

    @Test(arguments: PartitionKind.all)
    func `nothing is told or appended after it was closed`(_ kind: PartitionKind) async throws {
        let (partition, log, received) = try await self.fill(kind, 2)
        let (other, second) = try await self.follow(partition)
        await second.wait { $0.count == 2 }
        log.close()
        log.append(ByteBuffer(string: "of a closed one"))
        await other.append("3", until: second)
        #expect(!second.texts.contains("of a closed one"))
        #expect(received.all.count == 2)
        other.close()
    }
}
