import NIOConcurrencyHelpers
import RoomCrypto
import RoomModel
import Testing

@testable import RoomCore

/// What the patterns of tokens may cost in all, and who is charged for it.
struct PatternAccountTests {
    private static let slow = RoomName(String(repeating: "a", count: 199) + "!")
    private static let permissions = #"{"^(\\w+-?)+$":{"publish":true},"^(a|b)$":{"subscribe":true}}"#

    private let verifier = TokenSample.verifier()

    private func table(
        _ permissions: String = Self.permissions,
        user: String? = nil,
        now: Int64 = 1_000,
        after earlier: TokenGrant? = nil
    ) throws(RequestError) -> TokenGrant {
        let data = user.map { ",\"data\":\"\($0)\"" } ?? ""
        let token = TokenSample.sign(#"{"channel":"app","exp":2000\#(data),"permissions":\#(permissions)}"#)
        return try self.verifier.verify(token, now: now, after: earlier)
    }

    private static func isGivenUp(_ grant: TokenGrant) -> Bool {
        !grant.permissions.permission(for: RoomName("team")).publish
    }

    @Test func `another token of a user renews nothing, before a minute has passed`() throws {
        #expect(try self.table(user: "eve").permissions.permission(for: Self.slow) == .nothing)
        #expect(try Self.isGivenUp(self.table(user: "eve")))
        #expect(try Self.isGivenUp(self.table(user: "eve", now: 1_059)))
        #expect(try !Self.isGivenUp(self.table(user: "bob", now: 1_059)), "it is the account of one user")
        #expect(try !Self.isGivenUp(self.table(user: "eve", now: 1_060)))
    }

    @Test func `without a user another token of the same connection renews nothing`() throws {
        let first = try self.table()
        #expect(first.permissions.permission(for: Self.slow) == .nothing)
        #expect(try Self.isGivenUp(self.table(after: first)))
        #expect(try !Self.isGivenUp(self.table()))
    }

    @Test func `an evaluation costs as much as it has tried, and a known answer nothing`() throws {
        let patterns = (0..<60).map { "\"^(alpha|beta)-\($0)$\":{\"subscribe\":true}" }.joined(separator: ",")
        let (first, second) = (try self.table("{\(patterns)}", user: "a"), try self.table("{\(patterns)}", user: "b"))
        let answer = first.permissions.evaluate(RoomName("beta-7"))
        #expect(answer.permission.subscribe)
        #expect(answer.work >= 120)
        let known = PermissionAnswer(permission: answer.permission, work: 1)
        #expect(second.permissions.evaluate(RoomName("beta-7")) == known)
        // other patterns, another answer
        let other = try self.table(#"{"^(alpha|gamma)-7$":{"subscribe":true}}"#)
        #expect(!other.permissions.permission(for: RoomName("beta-7")).subscribe)
    }

    @Test func `plain patterns cost little`() throws {
        let patterns = (0..<64).map { "\"^room-\($0)$\":{\"subscribe\":true}" }.joined(separator: ",")
        #expect(try self.table("{\(patterns)}").permissions.evaluate(RoomName("room-7")).work <= 8)
    }

    @Test func `an answer that a pattern was given up for is not remembered for others`() throws {
        let eve = try self.table(user: "eve")
        #expect(eve.permissions.permission(for: Self.slow) == .nothing)
        #expect(!eve.permissions.permission(for: RoomName("team")).publish)
        #expect(try self.table(user: "bob").permissions.permission(for: RoomName("team")).publish)
    }

    @Test func `the answers for rooms are a bounded number`() {
        let known = KnownAnswers()
        let digest = SHA256.hash([1])
        for number in 0..<30_000 { known.keep(.nothing, for: RoomName("room-\(number)"), by: digest) }
        #expect(known.count <= 2 * TokenLimits.answers)
        #expect(known.find(RoomName("room-29999"), by: digest) == .nothing)
        #expect(known.find(RoomName("room-0"), by: digest) == nil)
    }

    @Test func `an account gives up a bounded number of patterns, and then all`() {
        let account = PatternAccount()
        for number in 0...TokenLimits.givenUp { account.giveUp(ExpressionText(text: "\(number)")) }
        #expect(account.hasGivenUp(ExpressionText(text: "another")))
    }

    @Test func `many quick patterns are not slow together`() {
        // the clock goes on by 1 µs for each look at it: a search has some
        let reads = NIOLockedValueBox<UInt64>(0)
        let clock = ProcessorClock {
            reads.withLockedValue {
                $0 += 1_000
                return $0
            }
        }
        let rules = (0..<64).map { PermissionRule(pattern: RoomPattern("^(a|b)-\($0)$"), subscribe: true) }
        let table = PermissionTable(rules, expressions: ExpressionCache())
        for number in 0..<1_000 { _ = table.evaluate(RoomName("c-\(number)"), clock: clock) }
        #expect(table.evaluate(RoomName("a-7"), clock: clock).permission.subscribe)
    }
}
