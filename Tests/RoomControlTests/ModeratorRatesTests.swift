import RoomCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomControl

/// How often a person may act as a moderator, however it is connected.
@Suite struct ModeratorRatesTests {
    private static let second: UInt64 = 1_000_000_000

    private static func member(_ client: String, user: String? = nil, from address: String = "192.0.2.1") -> Moderator {
        Moderator(
            actor: "member:\(user ?? client)",
            origin: address,
            sender: .make(client),
            person: SanctionedPerson(user: user, client: ClientID(client), address: IPAddress(address))
        )
    }

    private static func acts(_ rates: ModeratorRates, _ moderators: [Moderator], now: UInt64) -> Int {
        moderators.count { rates.refusal(of: $0, in: .make("talk"), now: now) == nil }
    }

    @Test func `a user has one rate over forty connections`() {
        let rates = ModeratorRates()
        let connections = (0..<40).map { Self.member("c\($0)", user: "ann", from: "192.0.2.\($0)") }
        #expect(Self.acts(rates, connections + connections, now: 0) == 30)
        #expect((1...60).reduce(0) { $0 + Self.acts(rates, connections, now: UInt64($1) * Self.second) } == 600)
        let refused = rates.refusal(of: connections[0], in: .make("talk"), now: 60 * Self.second)
        #expect(refused?.code == .rateLimited)
        #expect(refused?.retryAfterMilliseconds == 100)
    }

    @Test func `who has no user goes by its address, on this machine by its client_id`() {
        let rates = ModeratorRates()
        #expect(Self.acts(rates, (0..<40).map { Self.member("c\($0)") }, now: 0) == 30)
        #expect(Self.acts(rates, (0..<40).map { Self.member("c\($0)", from: "127.0.0.1") }, now: 0) == 40)
        #expect(Self.acts(rates, Array(repeating: Self.member("a", from: "127.0.0.1"), count: 40), now: 0) == 30)
    }

    @Test func `an administrator has no rate`() {
        let root = Moderator(actor: "uid:0", origin: "unix", sender: .make("root"), person: nil)
        #expect(Self.acts(ModeratorRates(), Array(repeating: root, count: 100), now: 0) == 100)
    }

    @Test func `those who rest are forgotten, and the others are bounded`() {
        let rates = ModeratorRates()
        let many = (0..<10_001).map { Self.member("c\($0)", user: "u\($0)") }
        #expect(Self.acts(rates, many, now: 0) == 10_000)
        #expect(Self.acts(rates, [many[10_000]], now: Self.second) == 1)
        #expect(rates.count == 1)
    }
}
