import RoomModel
import RoomTestKit
import Testing

@testable import RoomDelivery

/// What those begin with who come, by where they come from.
struct GroupAccountsTests {
    private static let channel = ChannelID.make()

    private static func group(_ number: Int) -> WorkGroup { .user(Self.channel, "user-\(number)") }

    @Test func `who comes has the credit that those have left who are gone`() {
        var accounts = GroupAccounts()
        let (group, other) = (Self.group(1), Self.group(2))
        accounts.add(debt: 0, lent: 150, of: group, in: 1)
        #expect(accounts.account(of: group, in: 1).credit == 50)
        accounts.add(debt: 0, lent: 200, of: group, in: 1)
        #expect(accounts.account(of: group, in: 1).credit == 0)
        #expect(accounts.account(of: other, in: 1).credit == WorkShare.quantum)
        #expect(accounts.account(of: group, in: 2).credit == 50)
        #expect(accounts.account(of: group, in: 3).credit == WorkShare.quantum)
    }

    @Test func `who comes while its group is in debt takes the debt over`() {
        var accounts = GroupAccounts()
        accounts.add(debt: 1_000, lent: 0, of: Self.group(1), in: 1)
        #expect(accounts.account(of: Self.group(1), in: 3).debt == 600)
        #expect(accounts.account(of: Self.group(2), in: 3).debt == 0)
        #expect(accounts.account(of: Self.group(1), in: 6).debt == 0)
        accounts.add(debt: 1_000_000, lent: 0, of: Self.group(1), in: 6)
        #expect(accounts.account(of: Self.group(1), in: 6).debt == 50_000)
    }

    @Test func `all that come from this machine have one account, and leave no debts`() {
        var accounts = GroupAccounts()
        let (one, other) = (Owner(), Owner())
        accounts.add(debt: 1_000, lent: 200, of: .flow(ObjectIdentifier(one)), in: 1)
        let account = accounts.account(of: .flow(ObjectIdentifier(other)), in: 1)
        #expect(account.credit == 0 && account.debt == 0)
        #expect(accounts.account(of: Self.group(1), in: 1).credit == WorkShare.quantum)
        #expect(accounts.count == 0)
    }

    private final class Owner {}

    @Test func `a bounded number of groups is known, and the others have one account`() {
        var accounts = GroupAccounts()
        for number in 0..<3_000 { accounts.add(debt: 1_000, lent: 1, of: Self.group(number), in: 1) }
        #expect(accounts.count == GroupAccounts.most)
        #expect(accounts.account(of: Self.group(1), in: 1).debt == 1_000)
        #expect(accounts.account(of: Self.group(2_999), in: 1).debt == 0)
        #expect(accounts.account(of: Self.group(2_999), in: 1).credit == 0)
        // those that owe nothing any more make room
        accounts.add(debt: 1_000, lent: 0, of: Self.group(2_999), in: 6)
        #expect(accounts.account(of: Self.group(2_999), in: 6).debt == 1_000)
        #expect(accounts.count == 1)
    }
}
