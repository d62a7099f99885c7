import DequeModule
package import RoomModel

/// Something that brings work to an event loop: a client's connection. It works while its share has credit, and then
/// waits for its turn.
package protocol Flow: AnyObject {
    var share: WorkShare { get set }
    /// Those whom it shares its turns with.
    var group: WorkGroup { get }
    /// Its turn has come: it works until its credit is used, and waits again (`FairQueue.wait`) if something is left.
    func takeTurn()
}

/// Flows that have one turn together: the connections of one user, or of one address.
package enum WorkGroup: Hashable, Sendable {
    case user(ChannelID, String)
    /// An IPv6 address stands for its /64.
    case network(IPAddress)
    /// A flow by itself. From this machine, everybody may come by way of one proxy.
    case flow(ObjectIdentifier)

    package init(_ address: IPAddress?, of flow: some Flow) {
        if let address, !address.isLoopback {
            self = .network(address.network)
        } else {
            self = .flow(ObjectIdentifier(flow))
        }
    }
}

/// What one flow may do before the others have had their turn, and what it has done.
package struct WorkShare {
    /// Units of work for each turn: some hundred short lines.
    static let quantum = 200
    /// So that nobody has to wait for minutes.
    private static let largestDebt = 50_000

    package private(set) var credit = Self.quantum
    /// All that the flow has cost.
    package private(set) var spent = 0
    fileprivate var round = 0
    fileprivate(set) var isWaiting = false

    package init() {}

    package var hasCredit: Bool { self.credit > 0 }

    /// Counts work that the flow does or causes. It may go into debt: then it waits for as many turns.
    package mutating func spend(_ units: Int) {
        self.credit = max(self.credit &- units, -Self.largestDebt)
        self.spent &+= units
    }

    fileprivate mutating func refill(_ quantums: Int = 1) {
        self.credit = min(self.credit + quantums * Self.quantum, Self.quantum)
    }
}

/// Gives the flows of an event loop their turns: deficit round robin (M. Shreedhar and G. Varghese, 1995) over groups
/// and over the flows of each, and beside it, as in FQ-CoDel (RFC 8290 §4.2), a first share at once for a flow that does
/// not wait: so a client that sends little is served when its bytes come, whatever the others send.
///
/// Confined to the event loop. Pure: `RoomShard` calls `serve` once the loop has looked at its sockets.
package final class FairQueue {
    /// Has `serve` called after the loop has looked at its sockets.
    private let wake: () -> Void
    private var ring: Deque<WorkGroup> = []
    private var waiting: [WorkGroup: Deque<any Flow>] = [:]
    private var round = 1
    /// Turns until all groups that wait now have had theirs.
    private var leftInRound = 0
    /// What flows that did not wait may still do before the next `serve`.
    private var budgetAtOnce = atOnce
    private var isServing = false

    /// Units of work that are done without waiting between two looks at the sockets.
    private static let atOnce = 2_000

    package init(wake: @escaping () -> Void) {
        self.wake = wake
    }

    package var isEmpty: Bool { self.ring.isEmpty }

    /// Whether the flow may work now. If not, its turn comes.
    package func begin(_ flow: some Flow) -> Bool {
        if flow.share.isWaiting { return false }
        if flow.share.round != self.round {
            flow.share.round = self.round
            flow.share.refill()
        }
        if flow.share.hasCredit, self.isServing || self.budgetAtOnce > 0 { return true }
        self.wait(flow)
        return false
    }

    /// The flow has worked without having waited.
    ///
    /// - Parameter credit: what it had before.
    package func worked(_ flow: some Flow, from credit: Int) {
        if !self.isServing { self.budgetAtOnce -= credit - flow.share.credit }
    }

    /// The flow has something left to do.
    package func wait(_ flow: some Flow) {
        guard !flow.share.isWaiting else { return }
        flow.share.isWaiting = true
        let group = flow.group
        if self.waiting[group, default: []].isEmpty { self.ring.append(group) }
        self.waiting[group, default: []].append(flow)
        self.wake()
    }

    /// Gives turns, until they have cost the budget or only flows in debt wait.
    ///
    /// - Parameter isIdle: the loop has nothing else to do, so debts are worked off faster.
    package func serve(isIdle: Bool) {
        self.isServing = true
        defer { self.isServing = false }
        self.budgetAtOnce = Self.atOnce
        if self.ring.isEmpty { self.beginRound() }
        var budget = WorkBudget()
        var turnsWithoutWork = 0
        while !budget.isSpent, turnsWithoutWork < self.ring.count, let flow = self.next() {
            flow.share.refill(isIdle ? Self.idleRefill : 1)
            guard flow.share.hasCredit else {
                self.wait(flow)
                turnsWithoutWork += 1
                continue
            }
            turnsWithoutWork = 0
            let spent = flow.share.spent
            flow.takeTurn()
            budget.spend(1 + flow.share.spent - spent)
        }
        if !self.ring.isEmpty { self.wake() }
    }

    private static let idleRefill = 16

    /// Takes out the flow whose turn it is.
    private func next() -> (any Flow)? {
        guard let group = self.ring.popFirst(), let flow = self.waiting[group]?.popFirst() else { return nil }
        if self.waiting[group]?.isEmpty ?? true {
            self.waiting[group] = nil
        } else {
            self.ring.append(group)
        }
        flow.share.isWaiting = false
        self.leftInRound -= 1
        if self.leftInRound <= 0 { self.beginRound() }
        flow.share.round = self.round
        return flow
    }

    private func beginRound() {
        self.round += 1
        self.leftInRound = self.ring.count
    }
}
