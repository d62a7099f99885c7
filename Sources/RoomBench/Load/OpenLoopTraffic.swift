import NIOCore
import RoomModel

/// An open loop: each message is sent when it is due, and its latency counts from then.
final class OpenLoopTraffic: Traffic {
    /// Where the messages go, in turn.
    struct Lane {
        let room: RoomName
        let members: Int
        /// They take turns.
        let publishers: [BenchConnection]
    }

    private let loop: any EventLoop
    private let lanes: [Lane]
    private let text: MarkedText
    private let isWebSocket: Bool
    private var schedule: OpenLoopSchedule
    private let rate: Int
    private var timer: Scheduled<Void>?
    private var missing = 0
    private var delays = LatencyHistogram()

    /// - Parameter rate: messages a second, in all rooms.
    init(_ lanes: [Lane], _ loop: any EventLoop, text: MarkedText, rate: Int, isWebSocket: Bool) {
        self.lanes = lanes
        self.loop = loop
        self.text = text
        self.rate = rate
        self.isWebSocket = isWebSocket
        self.schedule = OpenLoopSchedule(start: 0, rate: rate)
    }

    func begin(at time: Int64) {
        self.schedule = OpenLoopSchedule(start: time, rate: self.rate)
        self.sendDue()
    }

    private func sendDue() {
        let time = MonotonicClock.now
        for number in self.schedule.takeDue(at: time) {
            self.delays.record(time - self.schedule.due(number))
            self.send(number)
        }
        let next = NIODeadline.uptimeNanoseconds(UInt64(self.schedule.due(self.schedule.next)))
        self.timer = self.loop.assumeIsolated().scheduleTask(deadline: next) { self.sendDue() }
    }

    private func send(_ number: Int) {
        let (turn, index) = number.quotientAndRemainder(dividingBy: self.lanes.count)
        let lane = self.lanes[index]
        var frames = OutgoingFrames(isWebSocket: self.isWebSocket)
        frames.publish(self.text.json(number), in: lane.room, callback: nil)
        lane.publishers[turn % lane.publishers.count].send(frames.bytes)
        self.missing += lane.members
    }

    func received(
        _ result: FrameScanner.Result,
        by connection: BenchConnection,
        at time: Int64,
        _ meter: RoundMeter
    ) -> BenchFailure? {
        let numbers = connection.scanner.markers
        guard numbers.count == result.deliveries else { return .foreign }
        for number in numbers {
            guard number < self.schedule.next else { return .foreign }
            meter.record(time - self.schedule.due(number))
        }
        self.missing -= numbers.count
        return self.missing < 0 ? .surplus : nil
    }

    func end() {
        self.timer?.cancel()
        self.timer = nil
    }

    var isDrained: Bool { self.missing == 0 }

    var sendDelay: Int64? { self.delays.quantile(0.99) }
}

extension BenchFailure {
    static let foreign = BenchFailure(.refused, "a message arrived that the generator had not published")
}
