import Foundation
import RoomTestKit
import Testing

@testable import RoomDelivery

/// Simulated runs that have failed, and those of deliberate breaks, as what their steps drew.
struct KeptRunTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Kept")

    private static func names() -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: self.folder.path)
        return (files ?? []).filter { $0.hasSuffix(".txt") }.sorted()
    }

    private static func kept(_ name: String) throws -> KeptRun {
        try #require(KeptRun(String(contentsOf: self.folder.appending(path: name), encoding: .utf8)))
    }

    @Test func `there are some`() {
        #expect(!Self.names().isEmpty)
    }

    @Test(arguments: Self.names())
    func `a run that has failed once does not fail again`(name: String) throws {
        let violations = try Self.kept(name).violations()
        #expect(violations.isEmpty, "scripts/simulate Tests/RoomDeliveryTests/Simulation/Kept/\(name)")
    }

    @Test(arguments: SimulationKind.allCases)
    func `a run is read as it is written, and does the same again`(kind: SimulationKind) throws {
        var simulation = kind.simulation(seed: 8)
        simulation.written = []
        simulation.run(StepList(0..<180))
        let kept = KeptRun(kind, simulation.plan, try #require(simulation.written))
        #expect(KeptRun(kept.text) == kept)

        var again = kind.simulation(kept.plan)
        again.run(kept)
        #expect(again.ledger.logs == simulation.ledger.logs)
        #expect(again.ledger.frames == simulation.ledger.frames)
    }

    @Test(
        arguments: [
            "", "few", "few\nseed=1", "some\nseed=1, shards=2", "few\nseed=1, shards=2, magic",
            "few\nseed=1, shards=2\nact=wait",
        ]
    )
    func `what is no run is not read`(text: String) {
        #expect(KeptRun(text) == nil)
    }

    @Test func `what the simulation does not know any more is told`() {
        let drawn: [Draws.Drawn] = [.init(name: "client", value: "client 1"), .init(name: "act", value: "dance")]
        let plan = SimulationPlan(seed: 1, kind: .few)
        let violations = KeptRun(.few, plan, [.init(number: 50, drawn: drawn)]).violations()
        #expect(violations.contains { $0.contains("step 50") && $0.contains("act=dance") })
    }
}
