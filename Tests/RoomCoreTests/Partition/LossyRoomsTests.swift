import RoomTestKit
import Testing

@testable import RoomCore

/// Clusters of partitions with rooms over a log that loses and repeats, each by a seed; docs/cluster-design.md says what has to
/// hold.
/// `ROOMLINE_SEEDS=1-500` runs other seeds, `ROOMLINE_SEEDS=44` one that failed.
struct LossyRoomsTests {
    @Test(arguments: TestSeeds.of(1...10))
    func `all nodes make the same rooms of the log, and each client is told the truth`(seed: UInt64) {
        var simulation = PartitionSimulation(seed: seed)
        simulation.run()
        guard !simulation.ledger.violations.isEmpty else { return }
        Issue.record(
            """
            seed \(seed):
            \(simulation.ledger.violations.prefix(10).joined(separator: "\n"))
            again: ROOMLINE_SEEDS=\(seed) swift test --filter LossyRoomsTests
            """
        )
    }

    /// The test above means something only if all of it happens.
    @Test func `the simulation stores, repeats, refuses and loses`() {
        var (counts, deaths) = (OrderLedger.Counts(), 0)
        for seed in 1...4 as ClosedRange<UInt64> {
            var simulation = PartitionSimulation(seed: seed)
            simulation.run()
            counts.add(simulation.ledger.counts)
            deaths += simulation.deaths
        }
        #expect(counts.stored > 1_000, "\(counts)")
        #expect(counts.repeats > 20, "\(counts)")
        #expect(counts.refused > 20, "\(counts)")
        #expect(counts.ignored > 100, "\(counts)")
        #expect(counts.unknown > 20, "\(counts)")
        #expect(counts.notStored > 5, "\(counts)")
        #expect(deaths > 5, "\(deaths)")
    }
}
