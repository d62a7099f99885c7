import Foundation
import RoomClient
import Testing

/// The client SDK against the real broker, with a network between them that does its worst.
@Suite(.serialized)
struct ChaosTests {
    /// 1 to 3, or what `ROOMLINE_SEEDS` says: `44` for one that failed, `1-500` for a long run.
    private static let seeds: ClosedRange<UInt64> = {
        let text = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"] ?? "1-3"
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let first = bounds.first, let last = bounds.last, first <= last else { return 1...3 }
        return first...last
    }()

    @Test(.timeLimit(.minutes(10)), arguments: Self.seeds)
    func `through a hostile network and five kills everybody ends with the broker's history`(seed: UInt64) async throws
    {
        let script = ChaosScript(messagesPerLane: 80, kills: 5, history: 1_000_000)
        let (ledger, outcome) = try await ChaosRun.outcome(of: script, seed: seed)
        Self.checkPeace(ledger, outcome, seed)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations + verdict.holes == [], "seed \(seed)")
        for reading in outcome.readings {
            let who: Comment = "seed \(seed): \(reading.reader) in \(reading.room)"
            #expect(verdict.difference(reading) == nil, who)
            #expect(reading.gaps == [], who)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: Self.seeds)
    func `where the history is short every message comes or is told as missing`(seed: UInt64) async throws {
        let script = ChaosScript(messagesPerLane: 30, kills: 3, history: 30)
        let (ledger, outcome) = try await ChaosRun.outcome(of: script, seed: seed)
        Self.checkPeace(ledger, outcome, seed)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations == [], "seed \(seed)")
        for reading in outcome.readings {
            let who: Comment = "seed \(seed): \(reading.reader) in \(reading.room)"
            #expect(verdict.forgeries(reading) == [], who)
            if reading.tellsGaps { #expect(verdict.coverage(reading) == nil, who) }
        }
        #expect(outcome.readings.contains { !$0.gaps.isEmpty }, "seed \(seed)")
    }

    @Test(.timeLimit(.minutes(10)), arguments: Self.seeds.prefix(1))
    func `tokens that expire all the time cost nobody a message`(seed: UInt64) async throws {
        let script = ChaosScript(messagesPerLane: 40, kills: 2, history: 1_000_000, wantsTokens: true)
        let (ledger, outcome) = try await ChaosRun.outcome(of: script, seed: seed)
        Self.checkPeace(ledger, outcome, seed)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations + verdict.holes == [], "seed \(seed)")
        for reading in outcome.readings {
            let who: Comment = "seed \(seed): \(reading.reader) in \(reading.room)"
            #expect(verdict.difference(reading) == nil, who)
            #expect(reading.gaps == [], who)
        }
    }

    /// What holds whatever the history keeps.
    private static func checkPeace(_ ledger: PublishLedger, _ outcome: ChaosRun.Outcome, _ seed: UInt64) {
        #expect(ledger.failures == [], "seed \(seed)")
        #expect(outcome.alarms == [], "seed \(seed)")
        #expect(outcome.members == ["Ada", "Bob", "Dee", "Eve", "Gus"], "seed \(seed)")
        #expect(outcome.states.allSatisfy { Self.isClosedByApp($0.last) }, "seed \(seed)")
        for reading in outcome.readings {
            #expect(Set(reading.ephemeral).count == reading.ephemeral.count, "seed \(seed): \(reading.reader)")
        }
        // Otherwise nothing was tested.
        #expect(outcome.connections > 100, "seed \(seed)")
        Self.report(seed, ledger, outcome)
    }

    private static func isClosedByApp(_ state: ConnectionState?) -> Bool {
        if case .closed(nil) = state { true } else { false }
    }

    private static func report(_ seed: UInt64, _ ledger: PublishLedger, _ outcome: ChaosRun.Outcome) {
        let acknowledged = ledger.acknowledged
        print(
            "seed \(seed): \(acknowledged.count) publishes acknowledged, \(acknowledged.count { $0.receipt.isDuplicate }) of them",
            "after a repeat; \(ledger.cancelled.count) cancelled; \(outcome.connections) connections;",
            "\(outcome.readings.map(\.messages.count).reduce(0, +)) messages,",
            "\(outcome.readings.map(\.ephemeral.count).reduce(0, +)) ephemeral ones and",
            "\(outcome.readings.map(\.gaps.count).reduce(0, +)) gaps read"
        )
    }
}
