/// The debts of flows that have ended, by those who shared turns with them: a connection for each request would begin
/// without debt otherwise. A debt goes down by one share each round, as it would have done, and the smallest groups of
/// flows, which stand for one flow each, leave none.
struct GroupDebts {
    private struct Debt {
        var units: Int
        /// As of this round.
        var round: Int

        func left(in round: Int) -> Int { max(0, self.units - (round - self.round) * WorkShare.quantum) }
    }

    /// How many groups are remembered.
    static let most = 1_000

    private var debts: [WorkGroup: Debt] = [:]
    /// When those that are paid were last taken out.
    private var cleared = 0

    var count: Int { self.debts.count }

    func left(of group: WorkGroup, in round: Int) -> Int {
        self.debts.isEmpty ? 0 : self.debts[group]?.left(in: round) ?? 0
    }

    mutating func add(_ units: Int, of group: WorkGroup, in round: Int) {
        guard units > 0 else { return }
        if case .flow = group { return }
        if self.debts[group] == nil, self.debts.count >= Self.most {
            guard self.cleared != round else { return }
            self.cleared = round
            self.debts = self.debts.filter { $0.value.left(in: round) > 0 }
            guard self.debts.count < Self.most else { return }
        }
        let sum = self.left(of: group, in: round) + units
        self.debts[group] = Debt(units: min(sum, WorkShare.largestDebt), round: round)
    }
}
