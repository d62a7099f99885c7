import Foundation
import Testing

@testable import RoomBench

extension Round {
    static func make(_ operations: Int, in seconds: Double = 1, broker: Double? = nil, generator: Double = 0) -> Round {
        Round(
            seconds: seconds,
            operations: operations,
            bytes: operations * 300,
            latencies: Latencies(p50: 100, p90: 200, p99: 300, p999: 400, max: Double(operations)),
            brokerSeconds: broker,
            generatorSeconds: generator
        )
    }
}

extension WorkloadResult {
    static func make(_ workload: Workload, _ rounds: Round..., stored: Bool? = nil) -> WorkloadResult {
        WorkloadResult(
            workload: workload,
            settings: workload.standard,
            isStored: stored,
            rounds: rounds,
            connections: 204,
            grownBytes: 204 * 2_048
        )
    }
}

extension BenchReport {
    static func make(_ workloads: WorkloadResult..., over transport: Transport = .tcp) -> BenchReport {
        BenchReport(
            date: "2026-11-23T06:40:00Z",
            version: "0.1.0",
            brokerVersion: nil,
            server: "tcp://127.0.0.1:10000",
            transport: transport,
            channel: "bench",
            workloads: workloads
        )
    }
}

@Suite struct BenchReportTests {
    @Test func `what is written can be read`() throws {
        let report = BenchReport.make(.make(.fanout, .make(3, broker: 0.5)), .make(.churn, .make(7), .make(9)))
        let text = try report.encoded()
        #expect(!text.contains("\n"))
        #expect(text.contains(#""format":1"#) && text.contains(#""latency_us":{"max":3,"p50":100"#))
        #expect(try BenchReport.decode(Data(text.utf8)) == report)
    }

    @Test(arguments: ["", "hello", "[]", "{}", #"{"format":1}"#, #"{"format":1,"workloads":[{"workload":"x"}]}"#])
    func `what is no report is refused`(text: String) {
        #expect(throws: BenchReport.ReadingFault.noReport) { try BenchReport.decode(Data(text.utf8)) }
    }

    @Test func `a report without rounds is refused`() throws {
        let text = try BenchReport.make(.make(.fanout)).encoded()
        #expect(throws: BenchReport.ReadingFault.noReport) { try BenchReport.decode(Data(text.utf8)) }
    }

    @Test func `another format is named`() {
        let text = #"{"format":2,"workloads":[{"new":true}]}"#
        #expect(throws: BenchReport.ReadingFault.otherFormat(2)) { try BenchReport.decode(Data(text.utf8)) }
    }

    @Test func `the figures are medians of the rounds`() {
        let result = WorkloadResult.make(
            .fanout,
            .make(100, broker: 0.001),
            .make(400, broker: 0.002),
            .make(220, in: 2, broker: 0.0011)
        )
        #expect(result.operationsPerSecond == 110)
        #expect(result.spread == 300.0 / 110)
        #expect(result.latencies?.max == 400)
        #expect(abs((result.brokerMicroseconds ?? 0) - 5) < 1e-9)
        // Messages take more of the memory than connections.
        #expect(result.bytesPerConnection == nil)
        #expect(WorkloadResult.make(.idle, .make(204)).bytesPerConnection == 2_048)
        #expect(WorkloadResult.make(.fanout, .make(1)).spread == nil)
        #expect(WorkloadResult.make(.fanout, .make(1)).brokerMicroseconds == nil)
    }

    @Test func `a generator at its limit says so`() {
        let full = WorkloadResult.make(.fanout, .make(100, generator: 0.974), .make(100, generator: 0.95))
        #expect(full.notes == ["the generator used 96 % of its core: the broker may be faster than this"])
        let both = WorkloadResult.make(.rooms, .make(100, broker: 0.42, generator: 1))
        #expect(
            both.notes == [
                "the generator used 100 % of its core and the broker 42 % of one: the broker may be faster than this"
            ]
        )
        #expect(WorkloadResult.make(.fanout, .make(100, generator: 0.8)).notes.isEmpty)
        #expect(
            WorkloadResult.make(.latency, .make(100, generator: 0.99)).notes == [
                "the generator used 99 % of its core: the latencies are partly its own"
            ]
        )
        var late = WorkloadResult.make(.latency, .make(100))
        late.sendDelay = 7_200
        let note = "the generator sent 1 % of the messages 7200 µs late or more: the latencies are partly its own"
        #expect(late.notes == [note])
        // Of a P99 of 300 µs.
        late.sendDelay = 80
        #expect(late.notes.count == 1)
        late.sendDelay = 70
        #expect(late.notes.isEmpty)
    }
}

@Suite struct BenchComparisonTests {
    private let then = BenchReport.make(
        .make(.fanout, .make(100, broker: 0.1), stored: false),
        .make(.churn, .make(50))
    )

    @Test func `ratios are now divided by then`() throws {
        let now = BenchReport.make(.make(.fanout, .make(150, broker: 0.3), stored: false))
        let rows = try BenchComparison(now, with: self.then).rows
        #expect(rows.map(\.workload) == [.fanout])
        #expect(rows[0].operationsPerSecond == 1.5)
        #expect(rows[0].p99 == 1)
        #expect(abs((rows[0].brokerMicroseconds ?? 0) - 2) < 1e-9)
        let churn = BenchReport.make(.make(.churn, .make(50, broker: 1)))
        #expect(try BenchComparison(churn, with: self.then).rows[0].brokerMicroseconds == nil)
    }

    @Test func `what was measured otherwise is not compared`() throws {
        var settings = Workload.fanout.standard
        settings.members = 7
        settings.seconds = 1
        self.expect("fanout: --members was 200 then, and is 7 now", WorkloadPlan(.fanout, settings), .tcp)
        settings.members = 200
        self.expect("fanout: --duration was 3.0s then, and is 1.0s now", WorkloadPlan(.fanout, settings), .tcp)
        let standard = WorkloadPlan(.fanout, Workload.fanout.standard)
        self.expect("it was measured over tcp, and not over ws", standard, .ws)
        let idle = WorkloadPlan(.idle, Workload.idle.standard)
        self.expect("it has no result of the workload idle", idle, .tcp)
        #expect(throws: Never.self) { try BenchComparison.result(of: standard, over: .tcp, in: self.then) }
        #expect(throws: BenchComparison.Difference.self) {
            try BenchComparison(.make(.make(.fanout, .make(1), stored: true)), with: self.then)
        }
    }

    private func expect(_ text: String, _ plan: WorkloadPlan, _ transport: Transport) {
        #expect(throws: BenchComparison.Difference(text: text)) {
            try BenchComparison.result(of: plan, over: transport, in: self.then)
        }
    }
}
