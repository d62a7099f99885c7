import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What those begin with who come, by where they come from; no time is involved but what a test says.
struct GroupAccountsTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private final class Accounts {
        var groups = GroupAccounts()
    }

    private let accounts = Accounts()

    private static func group(_ number: Int) -> WorkGroup { .user(.make(), "user-\(number)") }

    private static func network(_ address: String) -> WorkGroup? { WorkGroup(from: IPAddress(address)) }

    /// How many of so many that come now begin with credit.
    private func fresh(_ group: WorkGroup, of count: Int, after time: TimeAmount = .zero) -> Int {
        let now = Self.start + time
        return (0..<count).count { _ in
            self.accounts.groups.credit(of: group, in: 1, now: now) == WorkShare.quantum
        }
    }

    @Test func `who comes again and again has credit at once a few times only`() throws {
        let (one, other) = (Self.group(1), try #require(Self.network("192.0.2.1")))
        for group in [one, other] {
            #expect(self.fresh(group, of: 1_000) == 10)
            #expect(self.fresh(group, of: 1_000, after: .milliseconds(199)) == 0)
            #expect(self.fresh(group, of: 1_000, after: .seconds(1)) == 5)
            #expect(self.fresh(group, of: 1_000, after: .seconds(60)) == 10)
        }
    }

    @Test func `an IPv6 /64 is one that comes`() throws {
        let networks = try (1...50).map { try #require(Self.network("2001:db8::\($0)")) }
        #expect(Set(networks).count == 1)
        #expect(networks.map { self.fresh($0, of: 1) }.reduce(0, +) == 10)
        #expect(self.fresh(try #require(Self.network("2001:db8:0:1::1")), of: 1) == 1)
    }

    @Test func `all that come from this machine have one account, with more`() {
        let connections = (0..<1_000).map { _ in WorkShareOwner() }
        let fresh = connections.map { self.fresh(.flow(ObjectIdentifier($0)), of: 1) }.reduce(0, +)
        #expect(fresh == 50)
        #expect(self.accounts.groups.count == 0)
    }

    private final class WorkShareOwner {}

    @Test func `who comes while its group is in debt takes the debt over`() {
        self.accounts.groups.add(1_000, of: Self.group(1), in: 1, now: Self.start)
        #expect(self.accounts.groups.credit(of: Self.group(1), in: 3, now: Self.start) == -600)
        #expect(self.accounts.groups.credit(of: Self.group(2), in: 3, now: Self.start) == WorkShare.quantum)
        #expect(self.accounts.groups.credit(of: Self.group(1), in: 6, now: Self.start) == WorkShare.quantum)
    }

    @Test func `a bounded number of groups is known, and who is not waits for a turn`() {
        for number in 0..<3_000 { self.accounts.groups.add(1_000, of: Self.group(number), in: 1, now: Self.start) }
        #expect(self.accounts.groups.count == GroupAccounts.most)
        #expect(self.accounts.groups.debt(of: Self.group(1), in: 1) == 1_000)
        #expect(self.accounts.groups.debt(of: Self.group(2_999), in: 1) == 0)
        #expect(self.accounts.groups.credit(of: Self.group(2_999), in: 1, now: Self.start) == 0)
        // those that are paid make room
        let later = Self.start + .seconds(1)
        self.accounts.groups.add(1_000, of: Self.group(2_999), in: 6, now: later)
        #expect(self.accounts.groups.debt(of: Self.group(2_999), in: 6) == 1_000)
        #expect(self.accounts.groups.count == 1)
        self.accounts.groups.add(1_000_000, of: Self.group(2_999), in: 6, now: later)
        #expect(self.accounts.groups.debt(of: Self.group(2_999), in: 6) == 50_000)
    }
}
