import Testing

@testable import RoomBench
@testable import roomline

@Suite struct BenchTablesTests {
    private static let report = BenchReport(
        date: "2026-11-23T06:40:07Z",
        version: "0.1.0",
        brokerVersion: nil,
        server: "tcp://127.0.0.1:10000",
        transport: .tcp,
        channel: "bench",
        workloads: [
            WorkloadResult(
                workload: .idle,
                settings: Workload.idle.standard,
                rounds: [Self.round(5_000, in: 0.8, broker: 0.57, p50: 9_130.44)],
                connections: 5_000,
                grownBytes: 35_379_200,
                loadAtRest: 0.002_31
            ),
            WorkloadResult(
                workload: .fanout,
                settings: Workload.fanout.standard,
                isStored: false,
                rounds: [
                    Self.round(12_018_060, in: 3, broker: 2.98, p50: 1_410.05),
                    Self.round(11_900_000, in: 3, broker: 2.97, p50: 1_500),
                    Self.round(12_100_000, in: 3, broker: 3.02, p50: 1_402.5),
                ],
                connections: 204,
                grownBytes: -4_096
            ),
        ]
    )

    private static func round(_ operations: Int, in seconds: Double, broker: Double, p50: Double) -> Round {
        Round(
            seconds: seconds,
            operations: operations,
            bytes: operations * 310,
            latencies: Latencies(p50: p50, p90: p50 * 1.5, p99: p50 * 2, p999: p50 * 3, max: p50 * 10),
            brokerSeconds: broker,
            generatorSeconds: seconds * 0.93
        )
    }

    @Test func `the figures, and what is to be known of them`() throws {
        var lines = BenchTables.sheet(Self.report, nil).lines(.plain) + [""]
        lines += BenchTables.figures(Self.report).lines(.plain) + BenchTables.notes(Self.report)
        try Golden.expect(lines, "bench")
    }

    @Test func `ratios to an earlier result`() throws {
        var then = Self.report
        then.workloads[1].rounds = [Self.round(6_000_000, in: 3, broker: 1, p50: 2_115)]
        then.workloads[0].grownBytes = nil
        let earlier = EarlierReport(path: "before.json", report: then)
        let comparison = try earlier.compared(with: Self.report)
        let lines = [BenchTables.title(of: earlier, in: Golden.utc)] + BenchTables.ratios(comparison).lines(.plain)
        try Golden.expect(lines, "bench-compare")
    }

    @Test func `the line while it runs`() {
        func text(_ step: BenchProgress.Step) -> String {
            BenchProgressLine.text(BenchProgress(workload: .churn, step: step, operationsPerSecond: 7_031.4))
        }
        #expect(text(.connecting(done: 3, of: 10)) == "churn: 3 of 10 connections")
        #expect(text(.warmingUp) == "churn: warming up")
        #expect(text(.round(2, of: 3)) == "churn: round 2 of 3, 7,031 cycles/s")
        #expect(text(.atRest) == "churn: at rest")
        #expect(text(.closing) == "churn: closing")
    }

    @Test(arguments: [
        (0.0, "0.000"), (0.2484, "0.248"), (6.615, "6.62"), (37.94, "37.9"), (114.2, "114"), (4_006_020, "4,006,020"),
    ])
    func `three digits count`(value: Double, text: String) {
        #expect(BenchFigure.decimal(value) == text)
    }

    @Test func `workloads are given with commas`() {
        #expect(WorkloadList(argument: "fanout,idle")?.workloads == [.fanout, .idle])
        for wrong in ["", "fanout,", "fanout, idle", "Fanout", "idle,idle"] {
            #expect(WorkloadList(argument: wrong) == nil, "\(wrong)")
        }
    }
}
