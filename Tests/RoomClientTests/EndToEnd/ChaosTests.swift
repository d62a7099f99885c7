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

    @Test(.timeLimit(.minutes(5)), arguments: Self.seeds)
    func `through a hostile network and five kills everybody ends with the broker's history`(seed: UInt64) async throws
    {
        let (ledger, outcome) = try await ChaosRun.outcome(seed: seed)
        #expect(ledger.failures == [], "seed \(seed)")
        #expect(outcome.alarms == [], "seed \(seed)")
        for reading in outcome.readings {
            let who: Comment = "seed \(seed): \(reading.reader) in \(reading.room)"
            #expect(Self.difference(reading.messages, outcome.histories[reading.room] ?? []) == nil, who)
            #expect(reading.gaps == [], who)
            #expect(Set(reading.ephemeral).count == reading.ephemeral.count, who)
        }
        #expect(Self.violations(ledger, outcome.histories) == [], "seed \(seed)")
        #expect(outcome.members == ["Ada", "Bob", "Dee", "Eve", "Gus"], "seed \(seed)")
        #expect(outcome.states.allSatisfy { Self.isClosedByApp($0.last) }, "seed \(seed)")
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
            "\(outcome.readings.map(\.messages.count).reduce(0, +)) messages and",
            "\(outcome.readings.map(\.ephemeral.count).reduce(0, +)) ephemeral ones read"
        )
    }

    /// What a subscriber's list has that the history has not, in short.
    private static func difference(_ heard: [StoredMessage], _ history: [StoredMessage]) -> String? {
        if heard == history { return nil }
        let (heardSeqs, seqs) = (heard.map(\.seq), history.map(\.seq))
        let missing = Set(seqs).subtracting(heardSeqs).sorted().prefix(10)
        let extra = Set(heardSeqs).subtracting(seqs).sorted().prefix(10)
        let first = zip(heard, history).enumerated().first { $0.element.0 != $0.element.1 }
        return
            "\(heard.count) of \(history.count), missing \(missing), extra \(extra), first difference at \(first?.offset ?? -1)"
    }

    /// Acknowledgements that the history does not bear out.
    private static func violations(_ ledger: PublishLedger, _ histories: [String: [StoredMessage]]) -> [String] {
        var violations: [String] = []
        var acknowledged: [String: [PublishLedger.Entry]] = [:]
        for entry in ledger.acknowledged { acknowledged[entry.room, default: []].append(entry) }
        for (room, history) in histories {
            if history.map(\.seq) != Array(1...UInt64(max(1, history.count))) { violations.append("\(room) has holes") }
            let entries = acknowledged[room] ?? []
            let stored = Dictionary(grouping: history, by: \.text)
            var lanes: [String: UInt64] = [:]
            for entry in entries {
                let places = stored[entry.text] ?? []
                let id = entry.receipt.id.uuidString.lowercased()
                if places.map(\.seq) != [entry.receipt.seq] || places.map(\.id) != [id] {
                    violations.append(
                        "\(room): \(entry.text.prefix(40)) got \(entry.receipt), is at \(places.map(\.seq))"
                    )
                }
                let seq = entry.receipt.seq ?? 0
                if seq <= lanes[entry.lane, default: 0] { violations.append("\(room): \(entry.lane) is out of order") }
                lanes[entry.lane] = seq
            }
            let known = Set(entries.map(\.text))
            for (text, places) in stored where !known.contains(text) {
                if !ledger.cancelled.contains(text) || places.count > 1 {
                    violations.append("\(room): \(text.prefix(40)) is there \(places.count) times")
                }
            }
        }
        return violations
    }
}
