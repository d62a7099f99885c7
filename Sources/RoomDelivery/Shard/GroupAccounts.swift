import NIOCore

/// What is left for new flows, by those who share turns: a connection for each request would begin without debt otherwise, and
/// with new credit.
///
/// A group has the debts of its flows that are over. A debt goes down by one share each round, as it would have done. Where there
/// is none, so many new flows at once, and so many a second, begin with a share; the others wait for their first turn, as those do
/// that have used theirs. Flows by themselves, which are the connections from this machine, leave no debts and have one account.
struct GroupAccounts {
    /// Lets some begin at once, and then one an interval.
    struct Arrivals {
        let burst: UInt64
        let interval: TimeAmount
        /// When as many may begin again as at first.
        private var full = NIODeadline.uptimeNanoseconds(0)

        init(burst: UInt64, interval: TimeAmount) {
            self.burst = burst
            self.interval = interval
        }

        func isFull(_ now: NIODeadline) -> Bool { self.full <= now }

        mutating func take(_ now: NIODeadline) -> Bool {
            let start = max(self.full, now)
            guard start - now <= self.interval * Int64(self.burst - 1) else { return false }
            self.full = start + self.interval
            return true
        }

        /// Of a user, or an address: the pages of one person open some connections each.
        static let ofGroup = Arrivals(burst: 10, interval: .milliseconds(200))
        /// Of all that come from this machine: a proxy may bring everybody.
        static let local = Arrivals(burst: 50, interval: .milliseconds(50))
    }

    private struct Account {
        var debt = 0
        /// That of the debt.
        var round: Int
        var arrivals = Arrivals.ofGroup

        func debt(in round: Int) -> Int { max(0, self.debt - (round - self.round) * WorkShare.quantum) }
    }

    /// How many groups are remembered.
    static let most = 1_000

    private var accounts: [WorkGroup: Account] = [:]
    private var local = Arrivals.local
    /// When those that nothing has to be known of were last taken out.
    private var cleared: NIODeadline?

    var count: Int { self.accounts.count }

    func debt(of group: WorkGroup, in round: Int) -> Int { self.accounts[group]?.debt(in: round) ?? 0 }

    /// What a new flow of the group begins with; less than nothing: a debt.
    mutating func credit(of group: WorkGroup, in round: Int, now: NIODeadline) -> Int {
        if case .flow = group { return self.local.take(now) ? WorkShare.quantum : 0 }
        let debt = self.debt(of: group, in: round)
        guard debt == 0 else { return -debt }
        // where too many are known, those who are new have their turn, and no more than that
        guard self.hasPlace(for: group, in: round, now) else { return 0 }
        return self.accounts[group, default: Account(round: round)].arrivals.take(now) ? WorkShare.quantum : 0
    }

    mutating func add(_ units: Int, of group: WorkGroup, in round: Int, now: NIODeadline) {
        if case .flow = group { return }
        guard units > 0, self.hasPlace(for: group, in: round, now) else { return }
        var account = self.accounts[group] ?? Account(round: round)
        account.debt = min(account.debt(in: round) + units, WorkShare.largestDebt)
        account.round = round
        self.accounts[group] = account
    }

    private mutating func hasPlace(for group: WorkGroup, in round: Int, _ now: NIODeadline) -> Bool {
        if self.accounts.count < Self.most || self.accounts[group] != nil { return true }
        if let cleared, now < cleared + Self.pause { return false }
        self.cleared = now
        self.accounts = self.accounts.filter { $0.value.debt(in: round) > 0 || !$0.value.arrivals.isFull(now) }
        return self.accounts.count < Self.most
    }

    /// All accounts are looked at where there are too many: not for each connection.
    private static let pause = TimeAmount.milliseconds(10)
}
