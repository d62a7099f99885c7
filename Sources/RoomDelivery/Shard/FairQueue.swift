import NIOCore

/// Something that brings work to an event loop: a client's connection. It works while its share has credit, and then
/// waits for its turn.
package protocol Flow: AnyObject {
    var share: WorkShare { get set }
    /// Those whom it shares its turns with.
    var group: WorkGroup { get }
    /// `nil`: work of the broker's own.
    var description: FlowDescription? { get }
    /// Not of those who come or go, of whom there can be thousands at once: they wait behind the others.
    var isInSession: Bool { get }
    /// Its turn has come: it works until its credit is used, and waits again (`FairQueue.wait`) if something is left.
    func takeTurn()
}

extension Flow {
    package var isInSession: Bool { true }
}

/// The work that one flow may do before the others have had their turn, and that it has done.
package struct WorkShare {
    /// Units of work for each turn: some hundred short lines.
    static let quantum = 200
    /// So that nobody has to wait for minutes.
    static let largestDebt = 50_000

    package private(set) var credit: Int
    /// The units that the flow has caused in its turn.
    fileprivate private(set) var caused = 0
    /// All that the flow has cost.
    package private(set) var spent = 0
    fileprivate var round = 0
    /// The debt that it took over from flows of its group that had ended.
    private var inherited = 0
    /// The credit that it began with, until a round is over.
    private var lent: Int
    fileprivate var hasEnded = false
    fileprivate(set) var isWaiting = false
    /// Since when the flow has had no turn for lack of credit.
    fileprivate(set) var heldSince: NIODeadline?
    var busy = BusyMark()

    package init() { self.init(credit: Self.quantum) }

    /// - Parameter credit: what it begins with.
    init(credit: Int) {
        self.credit = min(max(credit, 0), Self.quantum)
        self.lent = self.credit
    }

    package var hasCredit: Bool { self.credit > 0 }

    /// Counts work of the flow itself.
    package mutating func spend(_ units: Int) {
        self.credit &-= units
        self.spent &+= units
    }

    /// Counts work that follows from what the flow does. It does not end the turn, so that a burst stays together, but
    /// the flow is in debt afterwards, and waits for as many turns.
    package mutating func cause(_ units: Int) {
        self.caused &+= units
    }

    fileprivate mutating func turnEnded() {
        self.spend(self.caused)
        self.caused = 0
        self.credit = max(self.credit, -Self.largestDebt)
    }

    fileprivate mutating func refill(_ quantums: Int = 1) {
        self.credit = min(self.credit + quantums * Self.quantum, Self.quantum)
        self.lent = 0
        if self.credit >= 0 { self.inherited = 0 }
    }

    /// The flow has come to a group.
    fileprivate mutating func join(_ account: GroupAccounts.Account) {
        self.credit = min(self.credit, account.credit) - account.debt
        self.lent = min(self.lent, account.credit)
        self.inherited += account.debt
    }

    /// Takes the debt for its own work that it has not worked off.
    fileprivate mutating func takeOwnDebt() -> Int {
        let debt = max(0, -self.credit - self.inherited)
        self.credit = max(self.credit, -self.inherited)
        return debt
    }

    /// - Returns: how much of its work was done with the credit that it began with.
    fileprivate mutating func takeLent(for units: Int) -> Int {
        let used = min(self.lent, units)
        self.lent -= used
        return used
    }

    fileprivate mutating func forgiveDebt() {
        self.credit = max(self.credit, Self.quantum)
        self.lent = 0
        self.inherited = 0
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
    /// Whether the loop has nothing to do for anybody else.
    private let isLoopIdle: () -> Bool
    /// Tells the lane for the work that follows from the flow that works now.
    private let laneChanged: (Lane) -> Void
    /// How often the loop has looked at its sockets; `nil`: nobody counts that.
    private let looks: () -> Int?
    /// The same when the budget was last full.
    private var lastLook: Int?
    /// Asked where a flow runs out of credit, and once for all that have their turns then.
    private let now: () -> NIODeadline
    /// Flows that have credit, and wait only because others have worked before the loop could look at its sockets.
    private var ready = GroupRing<any Flow>()
    /// The same of those who come or go.
    private var passing = GroupRing<any Flow>()
    private var ring = GroupRing<any Flow>()
    private var round = 1
    /// Turns until all groups that wait now have had theirs.
    private var leftInRound = 0
    /// The units that may still be spent: before the next `serve` by flows that do not wait, during it by those that
    /// do.
    private var budget = atOnce
    private var isServing = false
    private(set) var busy = BusyFlows()
    private var accounts = GroupAccounts()
    /// Units that all flows have cost so far.
    private var work = 0

    /// Units of work between two looks at the sockets: of flows that do not wait.
    private static let atOnce = 2_000
    /// Units of work between two looks at the sockets: of flows that wait.
    private static let inTurns = 500
    /// The part of `atOnce` that those who come or go leave to the others, and the part of `inTurns` that the others
    /// leave to them.
    private static let reserved = (atOnce: 1_000, inTurns: 125)

    convenience init(
        wake: @escaping () -> Void,
        isLoopIdle: @escaping () -> Bool,
        looks: @escaping () -> Int? = { nil },
        now: @escaping () -> NIODeadline = { .now() }
    ) {
        self.init(wake: wake, isLoopIdle: isLoopIdle, looks: looks, now: now) { _ in }
    }

    init(
        wake: @escaping () -> Void,
        isLoopIdle: @escaping () -> Bool,
        looks: @escaping () -> Int?,
        now: @escaping () -> NIODeadline = { .now() },
        laneChanged: @escaping (Lane) -> Void
    ) {
        self.now = now
        self.wake = wake
        self.isLoopIdle = isLoopIdle
        self.looks = looks
        self.laneChanged = laneChanged
    }

    var isEmpty: Bool { self.ready.isEmpty && self.passing.isEmpty && self.ring.isEmpty }

    /// Whether the flow may work now. If not, its turn comes.
    package func begin(_ flow: some Flow) -> Bool {
        if flow.share.isWaiting { return false }
        if flow.share.round == 0 {
            self.joined(flow)
            flow.share.round = self.round
        } else if flow.share.round != self.round {
            flow.share.round = self.round
            flow.share.refill()
        }
        if !flow.share.hasCredit, !self.isServing, self.isEmpty, self.isLoopIdle() { flow.share.forgiveDebt() }
        let reserved = flow.isInSession ? 0 : Self.reserved.atOnce
        if flow.share.hasCredit, self.isServing || self.budget > reserved || self.refillsBudget() { return true }
        self.wait(flow)
        return false
    }

    /// Where nobody waits, the budget lasts from one look at the sockets to another: it is asked for looks only when it
    /// is used up, so twice the budget may lie between two of them.
    private func refillsBudget() -> Bool {
        guard let look = self.looks(), look != self.lastLook else { return false }
        self.lastLook = look
        self.budget = Self.atOnce
        return true
    }

    /// The flow has worked.
    ///
    /// - Parameter before: what it had spent before.
    package func worked(_ flow: some Flow, since before: Int) {
        let spent = flow.share.spent &- before
        self.budget -= spent
        self.work &+= spent + flow.share.caused
        let lent = flow.share.takeLent(for: spent + flow.share.caused)
        if lent > 0 { self.accounts.add(debt: 0, lent: lent, of: flow.group, in: self.round) }
        flow.share.turnEnded()
        if flow.share.hasEnded { self.keepDebt(of: flow) }
    }

    /// The flow is over. Its debt stays with its group.
    package func ended(_ flow: some Flow) {
        flow.share.hasEnded = true
        self.keepDebt(of: flow)
    }

    private func keepDebt(of flow: some Flow) {
        let debt = flow.share.takeOwnDebt()
        if debt > 0 { self.accounts.add(debt: debt, lent: 0, of: flow.group, in: self.round) }
    }

    /// The flow is new, or is of another group from now on: it has the credit that others of the group have left that are new, too,
    /// and the debts of those that are over. Not what the broker itself has to do.
    func joined(_ flow: some Flow) {
        guard flow.description != nil else { return }
        flow.share.join(self.accounts.account(of: flow.group, in: self.round))
    }

    /// The flow has something left to do.
    package func wait(_ flow: some Flow) {
        guard !flow.share.isWaiting else { return }
        flow.share.isWaiting = true
        if flow.share.hasCredit {
            if flow.isInSession {
                self.ready.append(flow, of: flow.group)
            } else {
                self.passing.append(flow, of: flow.group)
            }
        } else {
            if flow.share.heldSince == nil { flow.share.heldSince = self.now() }
            if self.busy.isNew(flow) { self.busy.ranOutOfCredit(flow) }
            self.ring.append(flow, of: flow.group)
        }
        self.wake()
    }

    /// Gives turns, until they have cost the budget or only flows in debt wait.
    func serve() {
        self.isServing = true
        self.budget = Self.inTurns
        defer {
            self.isServing = false
            self.budget = Self.atOnce
        }
        if self.ring.isEmpty { self.beginRound() }
        while self.budget > 0, let flow = self.nextReady() {
            flow.share.isWaiting = false
            self.giveTurn(to: flow)
        }
        let isIdle = self.isLoopIdle()
        let now = self.ring.isEmpty ? nil : self.now()
        var turnsWithoutWork = 0
        self.laneChanged(.bulk)
        defer { self.laneChanged(.sparse) }
        while self.budget > 0, turnsWithoutWork < self.ring.groups, let flow = self.next() {
            // where the loop has nothing else to do, debts are worked off faster
            flow.share.refill(isIdle ? Self.idleRefill : 1)
            if flow.share.hasCredit {
                turnsWithoutWork = 0
                if let now, let since = flow.share.heldSince.take() { self.busy.waited(flow, now - since) }
                self.giveTurn(to: flow)
            } else {
                turnsWithoutWork += 1
                self.wait(flow)
            }
        }
        if !self.isEmpty { self.wake() }
    }

    /// As `BusyFlows.sample`.
    ///
    /// - Parameter processorTime: that the loop's thread has used so far.
    func sample(
        now: NIODeadline,
        processorTime: TimeAmount,
        rooms: BusyRooms.Sample = .init()
    ) -> [BusyConnections.Connection] {
        self.busy.sample(BusyFlows.Usage(time: now, processorTime: processorTime, work: self.work), rooms)
    }

    private func giveTurn(to flow: any Flow) {
        self.budget -= 1
        flow.takeTurn()
    }

    private static let idleRefill = 16

    /// Takes out one that has credit.
    private func nextReady() -> (any Flow)? {
        if self.budget > Self.reserved.inTurns || self.passing.isEmpty, let flow = self.ready.popFirst() { return flow }
        return self.passing.popFirst()
    }

    /// Takes out the flow whose turn it is.
    private func next() -> (any Flow)? {
        guard let flow = self.ring.popFirst() else { return nil }
        flow.share.isWaiting = false
        self.leftInRound -= 1
        if self.leftInRound <= 0 { self.beginRound() }
        flow.share.round = self.round
        return flow
    }

    private func beginRound() {
        self.round += 1
        self.leftInRound = self.ring.groups
    }
}
