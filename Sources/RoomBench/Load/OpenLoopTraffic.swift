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
        for number in self.schedule.takeDue(at: time, most: Self.atOnce) {
            self.delays.record(time - self.schedule.due(number))
            self.send(number)
        }
        // Never in the past: the event loop would go on with that before it reads anything.
        let next = max(self.schedule.due(self.schedule.next), MonotonicClock.now + Self.pause)
        let deadline = NIODeadline.uptimeNanoseconds(UInt64(next))
        self.timer = self.loop.assumeIsolated().scheduleTask(deadline: deadline) { self.sendDue() }
    }

    /// A generator that is behind sends so many messages, and reads what came before it sends more.
    private static let atOnce = 128
    /// In nanoseconds.
    private static let pause: Int64 = 20_000

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
