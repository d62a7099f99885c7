import Glibc
import NIOCore
import RoomCore
import RoomModel

/// What a run has seen: how much, how long it took, and whether every message came once and in order.
struct Tally {
    private let node: Int
    private var wall = ContinuousClock.now
    private var cpu = Tally.cpuSeconds
    private(set) var acknowledged = 0
    private var messages = 0
    private var records = 0
    private var bytes = 0
    /// Microseconds from the publish until it was applied here: of own messages, and of the other nodes'.
    private var own: [UInt32] = []
    private var others: [UInt32] = []
    private var latest = ContinuousClock.now
    private var longestPause = Duration.zero
    /// The newest message of each sender in each room.
    private var newest: [RoomName: [UInt64]] = [:]
    /// Messages that came twice, too early or not at all.
    private(set) var faults = 0

    init(node: Int) { self.node = node }

    mutating func begin() {
        self.wall = .now
        self.cpu = Self.cpuSeconds
        (self.acknowledged, self.messages, self.records, self.bytes) = (0, 0, 0, 0)
        (self.own, self.others) = ([], [])
        self.latest = .now
        self.longestPause = .zero
    }

    mutating func record(_ count: Int) {
        self.records += 1
        self.bytes += count
    }

    mutating func delivered(_ batch: RoomBatch, in room: RoomName) {
        let now = LoadMessage.now
        var newest = self.newest[room] ?? Array(repeating: 0, count: 8)
        for entry in batch.entries {
            guard case .message(let json) = entry.content, let message = LoadMessage(json) else { continue }
            self.messages += 1
            if message.count != newest[message.node] + 1 { self.faults += 1 }
            newest[message.node] = message.count
            let micros = UInt32(clamping: (now - min(now, message.sent)) / 1_000)
            if message.node == self.node { self.own.append(micros) } else { self.others.append(micros) }
        }
        self.newest[room] = newest
    }

    mutating func acknowledged(_ count: Int) {
        guard count > 0 else { return }
        self.acknowledged += count
        let now = ContinuousClock.now
        let pause = now - self.latest
        self.latest = now
        if pause > .milliseconds(300) { say("pause at=\(LoadMessage.now) ms=\(Int(pause / .milliseconds(1)))") }
        self.longestPause = max(self.longestPause, pause)
    }

    /// One line of `name=value`.
    var report: String {
        let seconds = (ContinuousClock.now - self.wall) / .seconds(1)
        let cpu = Self.cpuSeconds - self.cpu
        let perMessage = self.messages > 0 ? cpu * 1e6 / Double(self.messages) : 0
        return """
            seconds=\(seconds) cpu=\(cpu) acknowledged=\(self.acknowledged) messages=\(self.messages) \
            records=\(self.records) record_bytes=\(self.bytes) cpu_us_per_message=\(perMessage) \
            \(Self.quantiles("own", self.own)) \(Self.quantiles("other", self.others)) \
            longest_pause_ms=\(Int(self.longestPause / .milliseconds(1))) faults=\(self.faults)
            """
    }

    private static func quantiles(_ name: String, _ values: [UInt32]) -> String {
        guard !values.isEmpty else { return "" }
        let sorted = values.sorted()
        func quantile(_ share: Double) -> UInt32 { sorted[Int(Double(sorted.count - 1) * share)] }
        return "\(name)_p50_us=\(quantile(0.5)) \(name)_p99_us=\(quantile(0.99)) \(name)_max_us=\(quantile(1))"
    }

    static var cpuSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
