import Testing

@testable import RoomBench

@Suite struct LatencyHistogramTests {
    @Test func `nothing has no quantile`() {
        let histogram = LatencyHistogram()
        #expect(histogram.quantile(0.5) == nil)
        #expect(histogram.maximum == 0)
    }

    @Test(arguments: [0, 1, 127, 128, 255, 256, 257, 999, 1_000_003, 123_456_789, 59_999_999_999] as [Int64])
    func `a value is known to 0,4 percent`(value: Int64) throws {
        var histogram = LatencyHistogram()
        histogram.record(value)
        // The maximum would hide what the bucket says.
        histogram.record(1 << 39)
        let found = try #require(histogram.quantile(0.5))
        #expect(abs(Double(found - value)) <= Double(value) / 256)
    }

    @Test func `the quantiles of a thousand values`() throws {
        var histogram = LatencyHistogram()
        for value in 1...1_000 { histogram.record(Int64(value) * 1_000) }
        for (part, expected) in [(0.0, 1_000.0), (0.5, 500_000), (0.9, 900_000), (0.99, 990_000), (0.999, 999_000)] {
            let found = Double(try #require(histogram.quantile(part)))
            #expect(abs(found - expected) <= expected / 256, "\(part)")
        }
        #expect(histogram.quantile(1) == 1_000_000)
        #expect(histogram.maximum == 1_000_000)
        #expect(histogram.total == 1_000)
    }

    @Test func `many events with one latency count as many`() {
        var histogram = LatencyHistogram()
        histogram.record(100, count: 99)
        histogram.record(5_000)
        histogram.record(7, count: 0)
        #expect(histogram.total == 100)
        #expect(histogram.quantile(0.99) == 100)
        #expect(histogram.quantile(0.999) == 5_000)
    }

    @Test func `what is out of range is counted at the end of it`() {
        var histogram = LatencyHistogram()
        histogram.record(-5)
        histogram.record(.max)
        #expect(histogram.quantile(0.5) == 0)
        #expect(histogram.maximum == .max)
        histogram.removeAll()
        #expect(histogram == LatencyHistogram())
    }
}
