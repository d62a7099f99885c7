import RoomTestKit
import Testing

/// Whole brokers in memory, each with two hundred clients and a seed, against promises 1, 3 and 6 of the design.
struct SimulationTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `hundreds of clients see one order, without holes or repeats`(seed: UInt64) {
        var simulation = Simulation(seed: seed)
        simulation.run()
        #expect(
            simulation.ledger.violations.isEmpty,
            "seed \(seed):\n\(simulation.ledger.violations.joined(separator: "\n"))"
        )
    }
}
