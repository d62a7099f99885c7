/// The messages that a workload sends over its open connections, and their fate. Confined to the event loop. Times are
/// in nanoseconds of ``MonotonicClock``.
protocol Traffic: AnyObject {
    /// All connections are open.
    func begin(at time: Int64)

    /// - Returns: why it cannot go on; `nil`: it goes on.
    func received(
        _ result: FrameScanner.Result,
        by connection: BenchConnection,
        at time: Int64,
        _ meter: RoundMeter
    ) -> BenchFailure?

    /// Another connection than those that were opened before ``begin(at:)`` is open.
    func opened(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter)

    /// One of these has ended as it should.
    func closed(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter)

    /// Nothing is sent any more.
    func end()

    /// All that was sent has arrived.
    var isDrained: Bool { get }

    /// 99 % of the messages were sent no later than this after they were due, in nanoseconds.
    var sendDelay: Int64? { get }
}

extension Traffic {
    func opened(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter) {}
    func closed(_ connection: BenchConnection, at time: Int64, _ meter: RoundMeter) {}
    var sendDelay: Int64? { nil }
}
