import RoomCrypto
package import RoomModel

/// The permissions that a token sets for the rooms of its channel: rules, each for the rooms whose name its pattern is
/// found in.
///
/// Where several match, a deny wins: what one of them says `false` of is refused, whatever the others and in whatever
/// order they stand. A permission that a rule leaves out is neither granted nor denied. The lowest of several `history`
/// holds. A permission that no rule grants is refused. This is how Scaledrone documents it (its own example grants `.*`
/// and denies `^main-room$` beside it); it says nothing of left-out fields and of several `history`.
///
/// Patterns may be hostile. One that costs more than ``TokenLimits`` allow is given up, for this account: what it denies is
/// then denied in every room, and what it grants in none. (Not for the others that have the same pattern. It is members
/// who choose the names of rooms, and one of them must not be able to take a pattern away from all.) One that is no
/// regular expression is treated alike.
package struct PermissionTable: Equatable, Sendable {
    private let rules: [PermissionRule]
    private let expressions: ExpressionCache
    let account: PatternAccount
    /// `nil`: the answers cost too little to be remembered.
    private let known: (answers: KnownAnswers, digest: SHA256Digest)?
    private let clock: ProcessorClock

    init(
        _ rules: [PermissionRule],
        expressions: ExpressionCache,
        account: PatternAccount = PatternAccount(),
        known: (answers: KnownAnswers, digest: SHA256Digest)? = nil,
        clock: ProcessorClock = .thread
    ) {
        self.clock = clock
        self.rules = rules
        self.expressions = expressions
        self.account = account
        self.known = rules.contains(where: \.pattern.needsEngine) ? known : nil
    }

    package func permission(for room: RoomName) -> RoomPermission { self.evaluate(room).permission }

    /// Costs up to the bound of ``TokenLimits``: ask once for each room, keep the answer, and charge whoever has named the room.
    package func evaluate(_ room: RoomName) -> PermissionAnswer { self.evaluate(room, clock: self.clock) }

    func evaluate(_ room: RoomName, clock: ProcessorClock) -> PermissionAnswer {
        if let known, let answer = known.answers.find(room, by: known.digest) {
            return PermissionAnswer(permission: answer, work: 1)
        }
        var budget = MatchBudget(clock: clock)
        var tally = PermissionTally()
        var isCertain = true
        for rule in self.rules {
            switch rule.pattern {
            case .literal(let literal): tally.add(rule, literal.matches(room) ? .matches : .differs)
            case .unreadable: tally.add(rule, .untried)
            case .expression(let text):
                let verdict = self.match(text, against: room, within: &budget)
                if verdict == .stopped || verdict == .untried { isCertain = false }
                tally.add(rule, verdict)
            }
        }
        if isCertain, let known { known.answers.keep(tally.permission, for: room, by: known.digest) }
        return PermissionAnswer(permission: tally.permission, work: self.work(budget))
    }

    /// Counts what is slow by its time, and anything else by its steps, so that a run can be repeated.
    private func work(_ budget: MatchBudget) -> Int {
        let counted = 1 + self.rules.count / 16 + 2 * budget.searched + 50 * budget.compiled
        let spent = budget.spent()
        guard spent > TokenLimits.slow + UInt64(budget.searched) * TokenLimits.search else { return counted }
        self.account.count(slow: spent)
        return counted + Int(spent / 1_000)
    }

    private func match(
        _ text: ExpressionText,
        against room: RoomName,
        within budget: inout MatchBudget
    ) -> PatternVerdict {
        guard !self.account.hasGivenUp(text) else { return .stopped }
        let verdict = self.expressions.match(text, against: room, within: &budget)
        if verdict == .stopped { self.account.giveUp(text) }
        return verdict
    }

    package static func == (left: PermissionTable, right: PermissionTable) -> Bool { left.rules == right.rules }
}

/// Adds up what the rules that match a room say of it: a deny wins, and the lowest history holds.
struct PermissionTally {
    private var publish: Bool?
    private var subscribe: Bool?
    private var moderate: Bool?
    private var history: Int?
    /// No rule that could not be tried allows more than this.
    private var historyCeiling = Int.max

    mutating func add(_ rule: PermissionRule, _ verdict: PatternVerdict) {
        switch verdict {
        case .differs: break
        case .matches:
            Self.add(rule.publish, to: &self.publish)
            Self.add(rule.subscribe, to: &self.subscribe)
            Self.add(rule.moderate, to: &self.moderate)
            if let history = rule.history { self.history = min(self.history ?? .max, history) }
        case .stopped, .untried:
            // Had it matched, its denies would count. That it grants something cannot be told.
            if rule.publish == false { self.publish = false }
            if rule.subscribe == false { self.subscribe = false }
            if rule.moderate == false { self.moderate = false }
            if let history = rule.history { self.historyCeiling = min(self.historyCeiling, history) }
        }
    }

    var permission: RoomPermission {
        RoomPermission(
            publish: self.publish ?? false,
            subscribe: self.subscribe ?? false,
            history: min(self.history ?? 0, self.historyCeiling),
            moderate: self.moderate ?? false
        )
    }

    private static func add(_ said: Bool?, to sum: inout Bool?) {
        guard let said else { return }
        sum = (sum ?? true) && said
    }
}

/// A token's answer for a room.
package struct PermissionAnswer: Equatable, Sendable {
    package let permission: RoomPermission
    /// The cost of finding it out, in units of about a microsecond.
    package let work: Int
}

/// The permissions that a token gives its member in one room.
package struct RoomPermission: Equatable, Sendable {
    package var publish: Bool = false
    package var subscribe: Bool = false
    /// How many of the newest messages may be read; 0: none.
    package var history: Int = 0
    package var moderate: Bool = false

    static let nothing = RoomPermission()

    /// Where no token restricts anything.
    static let everything = RoomPermission(publish: true, subscribe: true, history: .max, moderate: false)
}
