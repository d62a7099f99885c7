import Testing

@testable import RoomBench

@Suite struct BenchFailureTests {
    @Test func `a refusal says which option of the broker helps`() {
        let publish = BenchFailure(code: "rate_limited", text: "more than 20000 messages a second", in: .measuring)
        #expect(publish.kind == .refused)
        #expect(
            publish.text.hasPrefix(
                "the broker refused: more than 20000 messages a second (rate_limited); start it with --publish-rate"
            )
        )
        let connect = BenchFailure(code: "rate_limited", text: "too fast", in: .connecting)
        #expect(connect.text.contains("--connection-rate unlimited"))
        let newer = BenchFailure(code: "no_such_code", text: "no", in: .connecting)
        #expect(newer.text == "the broker refused: no (no_such_code)")
    }
}

@Suite struct WorkloadWatchTests {
    @Test func `a workload in which nothing happens is stuck after ten seconds`() {
        var watch = WorkloadWatch()
        let asked = (0...20).map { _ in watch.isStuck(at: 5, in: .round(1)) }
        #expect(asked == Array(repeating: false, count: 20) + [true])
        let moved = watch.isStuck(at: 6, in: .round(1))
        #expect(!moved)
        // Nothing is to happen then.
        let atRest = (0..<40).map { _ in watch.isStuck(at: 6, in: .atRest) }
        #expect(!atRest.contains(true))
    }

    @Test func `the rate is of what came since it was asked last`() {
        var watch = WorkloadWatch()
        let counts: [(Int, Int64)] = [(10, 0), (110, 500_000_000), (40, 1_000_000_000), (90, 1_500_000_000)]
        let rates = counts.map { watch.rate(of: $0, at: $1) }
        // Where the count is lower than before, another round has begun.
        #expect(rates == [0, 200, 0, 100])
    }
}
