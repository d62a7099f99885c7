import NIOCore

/// Closed loops: each room sends its next burst when all have the last one, or when all of it is acknowledged.
final class BurstTraffic: Traffic {
    /// A room of the closed loop.
    struct Lane {
        var loop: BurstLoop
        /// The frames of a burst, which is the same each time.
        let burst: ByteBuffer
        /// They take turns.
        let publishers: [BenchConnection]
        var turn = 0
    }

    private var lanes: [Lane]
    private let countsAcknowledgements: Bool
    private var hasEnded = false

    init(_ lanes: [Lane], countsAcknowledgements: Bool) {
        self.lanes = lanes
        self.countsAcknowledgements = countsAcknowledgements
    }

    func begin(at time: Int64) {
        for room in self.lanes.indices { self.send(room, at: time) }
    }

    private func send(_ room: Int, at time: Int64) {
        self.lanes[room].loop.sent(at: time)
        let lane = self.lanes[room]
        self.lanes[room].turn = (lane.turn + 1) % lane.publishers.count
        lane.publishers[lane.turn].send(lane.burst)
    }

    func received(
        _ result: FrameScanner.Result,
        by connection: BenchConnection,
        at time: Int64,
        _ meter: RoundMeter
    ) -> BenchFailure? {
        let count = self.countsAcknowledgements ? result.acknowledgements : result.deliveries
        guard count > 0 else { return nil }
        meter.record(self.lanes[connection.room].loop.latency(at: time), count: count)
        switch self.lanes[connection.room].loop.received(count) {
        case .waiting: return nil
        case .surplus: return .surplus
        case .complete:
            if !self.hasEnded { self.send(connection.room, at: time) }
            return nil
        }
    }

    func end() {
        self.hasEnded = true
    }

    var isDrained: Bool { self.lanes.allSatisfy(\.loop.isAtRest) }
}
