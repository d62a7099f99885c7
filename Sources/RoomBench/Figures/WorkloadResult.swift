/// The measurements of one workload.
package struct WorkloadResult: Codable, Equatable, Sendable {
    package var workload: Workload
    package var settings: WorkloadSettings
    /// Whether the broker stored the messages; `nil` where the workload has none.
    package var isStored: Bool?
    /// At least one.
    package var rounds: [Round]
    /// That were open at the end.
    package var connections: Int
    /// By how much the broker's resident memory had grown then, in bytes; `nil` where its process is not known.
    package var grownBytes: Int?
    /// How much of a core the broker used while all connections were at rest, from 0 to 1.
    package var loadAtRest: Double?
    /// 99 % of the messages were sent no later than this after they were due, in microseconds.
    package var sendDelay: Double?
    /// It ended before its time.
    package var wasStopped = false

    private enum CodingKeys: String, CodingKey {
        case workload, settings, rounds, connections
        case isStored = "stored"
        case grownBytes = "broker_grown_bytes"
        case loadAtRest = "broker_load_at_rest"
        case sendDelay = "send_delay_us"
        case wasStopped = "stopped"
    }
}

/// The figures of all rounds: medians, and for the longest latency the maximum.
extension WorkloadResult {
    package var operationsPerSecond: Double { self.rounds.map(\.operationsPerSecond).median ?? 0 }
    package var bytesPerSecond: Double {
        self.rounds.map { $0.seconds > 0 ? Double($0.bytes) / $0.seconds : 0 }.median ?? 0
    }
    /// The broker's processor time for one operation.
    package var brokerMicroseconds: Double? { self.rounds.compactMap(\.brokerMicroseconds).median }
    /// How much of a core the broker used; more than 1 if it used several.
    var brokerLoad: Double? {
        self.rounds.compactMap { round in round.brokerSeconds.map { $0 / round.seconds } }.median
    }
    var generatorLoad: Double { self.rounds.map(\.generatorLoad).median ?? 0 }

    package var latencies: Latencies? {
        let all = self.rounds.compactMap(\.latencies)
        guard let p50 = all.map(\.p50).median, let p90 = all.map(\.p90).median, let p99 = all.map(\.p99).median,
            let p999 = all.map(\.p999).median, let max = all.map(\.max).max()
        else { return nil }
        return Latencies(p50: p50, p90: p90, p99: p99, p999: p999, max: max)
    }

    /// How far the rounds are apart: from the slowest to the fastest, as a part of the median.
    package var spread: Double? {
        let rates = self.rounds.map(\.operationsPerSecond)
        guard rates.count > 1, let least = rates.min(), let most = rates.max(), let median = rates.median, median > 0
        else { return nil }
        return (most - least) / median
    }

    /// In `idle`; in the others, messages take more than connections. `nil` where it is not known, and where memory that was
    /// free before was enough.
    package var bytesPerConnection: Double? {
        guard self.workload == .idle, let grown = self.grownBytes, grown > 0, self.connections > 0 else { return nil }
        return Double(grown) / Double(self.connections)
    }

    /// Remarks on the figures: each a sentence without its full stop.
    package var notes: [String] {
        var notes: [String] = []
        if self.wasStopped { notes.append("stopped before its time") }
        if self.generatorLoad >= Self.fullLoad {
            let broker = self.brokerLoad.map { " and the broker \(Self.percent($0)) of one" } ?? ""
            let meaning =
                self.workload == .latency ? "the latencies are partly its own" : "the broker may be faster than this"
            notes.append("the generator used \(Self.percent(self.generatorLoad)) of its core\(broker): \(meaning)")
        }
        if let delay = self.sendDelay, self.isLong(sendDelay: delay) {
            let late = "the generator sent 1 % of the messages \(Int(delay.rounded())) µs late or more"
            notes.append("\(late): the latencies are partly its own")
        }
        if let load = self.loadAtRest {
            let percent = (load * 10_000).rounded() / 100
            notes.append("at rest, the broker used \(percent) % of a core")
        }
        if self.workload == .churn, let grown = self.grownBytes {
            notes.append("the broker's memory grew by \(grown / 1_024) KiB")
        }
        return notes
    }

    private func isLong(sendDelay delay: Double) -> Bool {
        delay > Self.longSendDelay || delay > Self.longSendDelayPart * (self.latencies?.p99 ?? .infinity)
    }

    private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

    private static let fullLoad = 0.9
    /// In microseconds.
    private static let longSendDelay = 2_000.0
    /// As a part of the P99.
    private static let longSendDelayPart = 0.25
}

extension [Double] {
    /// `nil` of nothing.
    var median: Double? {
        guard !self.isEmpty else { return nil }
        let sorted = self.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
