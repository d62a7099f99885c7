import Foundation
import RoomClient
import RoomTestKit
import Testing

/// The client SDK against the real broker, with a network between them that does its worst.
@Suite(.serialized, .enabled(if: BrokerProcess.isAllowed))
struct ChaosTests {
    /// A seed, and how the clients reach the broker.
    struct Weather: Sendable, CustomStringConvertible {
        let seed: UInt64
        let transport: ClientTransport

        var description: String { "seed \(self.seed) over \(self.transport)" }
    }

    /// 1 to 3, over one transport and the other in turn; or what `ROOMLINE_SEEDS` says, over each of them: `44` for one that
    /// failed, `1-500` for a long run.
    private static func weather(_ first: ClientTransport, _ second: ClientTransport) -> [Weather] {
        let text = ProcessInfo.processInfo.environment["ROOMLINE_SEEDS"] ?? ""
        let bounds = text.split(separator: "-").compactMap { UInt64($0) }
        guard let low = bounds.first, let high = bounds.last, low <= high else {
            return zip(UInt64(1)..., [first, second, first]).map { Weather(seed: $0, transport: $1) }
        }
        return (low...high).flatMap { seed in [first, second].map { Weather(seed: seed, transport: $0) } }
    }

    private static func outcome(
        of script: ChaosScript,
        in weather: Weather
    ) async throws -> (PublishLedger, ChaosRun.Outcome) {
        try await ClientTransport.$current.withValue(weather.transport) {
            try await ChaosRun.outcome(of: script, seed: weather.seed)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: Self.weather(.tcp, .webSocket))
    func `through a hostile network and five kills everybody ends with the broker's history`(
        weather: Weather
    ) async throws {
        let script = ChaosScript(messagesPerLane: 80, kills: 5, history: 1_000_000)
        let (ledger, outcome) = try await Self.outcome(of: script, in: weather)
        Self.checkPeace(ledger, outcome, weather)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations + verdict.holes == [], "\(weather)")
        for reading in outcome.readings {
            let who: Comment = "\(weather): \(reading.reader) in \(reading.room)"
            #expect(verdict.difference(reading) == nil, who)
            #expect(reading.gaps == [], who)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: Self.weather(.webSocket, .tcp))
    func `where the history is short every message comes or is told as missing`(weather: Weather) async throws {
        let script = ChaosScript(messagesPerLane: 30, kills: 3, history: 30)
        let (ledger, outcome) = try await Self.outcome(of: script, in: weather)
        Self.checkPeace(ledger, outcome, weather)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations == [], "\(weather)")
        for reading in outcome.readings {
            let who: Comment = "\(weather): \(reading.reader) in \(reading.room)"
            #expect(verdict.forgeries(reading) == [], who)
            if reading.tellsGaps { #expect(verdict.coverage(reading) == nil, who) }
        }
        #expect(outcome.readings.contains { !$0.gaps.isEmpty }, "\(weather)")
    }

    @Test(.timeLimit(.minutes(10)), arguments: Self.weather(.webSocket, .tcp).prefix(2))
    func `tokens that expire all the time cost nobody a message`(weather: Weather) async throws {
        let script = ChaosScript(messagesPerLane: 40, kills: 2, history: 1_000_000, wantsTokens: true)
        let (ledger, outcome) = try await Self.outcome(of: script, in: weather)
        Self.checkPeace(ledger, outcome, weather)
        let verdict = ChaosVerdict(ledger, outcome.histories)
        #expect(verdict.violations + verdict.holes == [], "\(weather)")
        for reading in outcome.readings {
            let who: Comment = "\(weather): \(reading.reader) in \(reading.room)"
            #expect(verdict.difference(reading) == nil, who)
            #expect(reading.gaps == [], who)
        }
    }

    /// What holds whatever the history keeps.
    private static func checkPeace(_ ledger: PublishLedger, _ outcome: ChaosRun.Outcome, _ weather: Weather) {
        #expect(ledger.failures == [], "\(weather)")
        #expect(outcome.alarms == [], "\(weather)")
        #expect(outcome.members == ["Ada", "Bob", "Dee", "Eve", "Gus"], "\(weather)")
        #expect(outcome.states.allSatisfy { Self.isClosedByApp($0.last) }, "\(weather)")
        for reading in outcome.readings {
            #expect(Set(reading.ephemeral).count == reading.ephemeral.count, "\(weather): \(reading.reader)")
        }
        // Otherwise nothing was tested.
        #expect(outcome.connections > 100, "\(weather)")
        Self.report(weather, ledger, outcome)
    }

    private static func isClosedByApp(_ state: ConnectionState?) -> Bool {
        if case .closed(nil) = state { true } else { false }
    }

    private static func report(_ weather: Weather, _ ledger: PublishLedger, _ outcome: ChaosRun.Outcome) {
        let acknowledged = ledger.acknowledged
        print(
            "\(weather): \(acknowledged.count) publishes acknowledged, \(acknowledged.count { $0.receipt.isDuplicate }) of them",
            "after a repeat; \(ledger.cancelled.count) cancelled; \(outcome.connections) connections;",
            "\(outcome.readings.map(\.messages.count).reduce(0, +)) messages,",
            "\(outcome.readings.map(\.ephemeral.count).reduce(0, +)) ephemeral ones and",
            "\(outcome.readings.map(\.gaps.count).reduce(0, +)) gaps read"
        )
    }
}
