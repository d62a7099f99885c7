/// What new flows have left to the next ones that share turns with them: a connection for each request would begin without debt
/// otherwise, and with new credit.
///
/// A group has the debts of its flows that are over, and what its new flows have used of the credit that they began with, before a
/// round was over. Both go down by one share each round. Flows by themselves, which are the connections from this machine, leave no
/// debts, since a proxy may bring everybody; one account for all of them has the credit that they used. So has one for the groups that
/// there is no place for.
struct GroupAccounts {
    struct Account {
        /// Work that others have to be paid back for.
        var debt = 0
        /// Credit that was given to new flows.
        var lent = 0
        /// As of this round.
        var round = 0

        func left(in round: Int) -> Account {
            let paid = (round - self.round) * WorkShare.quantum
            return Account(debt: max(0, self.debt - paid), lent: max(0, self.lent - paid), round: round)
        }

        var isEmpty: Bool { self.debt == 0 && self.lent == 0 }

        /// The credit that a new flow begins with.
        var credit: Int { max(0, WorkShare.quantum - self.lent) }
    }

    /// How many groups are remembered.
    static let most = 1_000

    private var accounts: [WorkGroup: Account] = [:]
    private var others = Account()
    /// When those that are empty were last taken out.
    private var cleared = 0

    var count: Int { self.accounts.count }

    func account(of group: WorkGroup, in round: Int) -> Account {
        if let account = self.accounts[group] { return account.left(in: round) }
        if case .flow = group { return self.others.left(in: round) }
        return self.accounts.count < Self.most ? Account() : self.others.left(in: round)
    }

    mutating func add(debt: Int, lent: Int, of group: WorkGroup, in round: Int) {
        guard debt > 0 || lent > 0 else { return }
        guard self.hasPlace(for: group, in: round) else {
            self.others = self.others.left(in: round)
            self.others.lent = min(self.others.lent + lent, WorkShare.largestDebt)
            return
        }
        var account = self.accounts[group, default: Account()].left(in: round)
        account.debt = min(account.debt + debt, WorkShare.largestDebt)
        account.lent = min(account.lent + lent, WorkShare.largestDebt)
        self.accounts[group] = account
    }

    private mutating func hasPlace(for group: WorkGroup, in round: Int) -> Bool {
        if case .flow = group { return false }
        if self.accounts.count < Self.most || self.accounts[group] != nil { return true }
        guard self.cleared != round else { return false }
        self.cleared = round
        self.accounts = self.accounts.filter { !$0.value.left(in: round).isEmpty }
        return self.accounts.count < Self.most
    }
}
