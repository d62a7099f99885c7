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
