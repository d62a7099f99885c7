import RoomModel

/// What is to be another in a room's rules.
struct RoomRulesPatch: Equatable, Sendable {
    enum Part<Value: Equatable & Sendable>: Equatable, Sendable {
        case keep
        case set(Value)

        func applied(to value: Value) -> Value {
            switch self {
            case .keep: value
            case .set(let new): new
            }
        }
    }

    var isLocked = Part<Bool>.keep
    /// Counts for a room that is locked by then.
    var lockReason = Part<String?>.keep
    /// Seconds.
    var slowMode = Part<Int?>.keep
    var memberLimit = Part<Int?>.keep

    func applied(to rules: RoomRules) -> RoomRules {
        var changed = rules
        changed.isLocked = self.isLocked.applied(to: rules.isLocked)
        changed.lockReason = changed.isLocked ? self.lockReason.applied(to: rules.lockReason) : nil
        changed.slowMode = self.slowMode.applied(to: rules.slowMode)
        changed.memberLimit = self.memberLimit.applied(to: rules.memberLimit)
        return changed
    }
}
