import RoomDelivery
import RoomDocuments
import RoomJSON
import RoomModel
import RoomWire

extension AdminRulesPatch {
    func applied(to rules: RoomRules) -> RoomRules {
        var changed = rules
        changed.isLocked = self.isLocked.applied(to: rules.isLocked) ?? false
        changed.lockReason = changed.isLocked ? self.lockReason.applied(to: rules.lockReason) : nil
        changed.slowMode = self.slowMode.applied(to: rules.slowMode)
        changed.memberLimit = self.memberLimit.applied(to: rules.memberLimit)
        return changed
    }
}

extension Nullable {
    /// The new value of a field that had this one before.
    fileprivate func applied(to value: Value?) -> Value? { if case .absent = self { value } else { self.value } }
}

/// One rule that is another than before: an entry of the audit log, and what the room is told.
enum RulesStep: Equatable {
    case lock(reason: String?)
    case unlock
    /// Seconds; 0: off.
    case slowMode(Int)
    /// 0: as the channel says.
    case memberLimit(Int)

    static func steps(from old: RoomRules, to new: RoomRules) -> [RulesStep] {
        var steps: [RulesStep] = []
        if old.isLocked != new.isLocked || old.lockReason != new.lockReason {
            steps.append(new.isLocked ? .lock(reason: new.lockReason) : .unlock)
        }
        if old.slowMode != new.slowMode { steps.append(.slowMode(new.slowMode ?? 0)) }
        if old.memberLimit != new.memberLimit { steps.append(.memberLimit(new.memberLimit ?? 0)) }
        return steps
    }

    var action: AuditAction {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .slowMode: .slowMode
        case .memberLimit: .limitMembers
        }
    }

    var details: [JSONTree.Field] {
        switch self {
        case .lock(let reason): [JSONTree.Field].present("reason", reason)
        case .unlock: []
        case .slowMode(let seconds): [.init("seconds", .integer(seconds))]
        case .memberLimit(let count): [.init("count", .integer(count))]
        }
    }

    /// `nil` where there is nothing to tell those who are in the room.
    var notice: Notice? {
        switch self {
        case .lock(let reason): .locked(reason: reason)
        case .unlock: .unlocked
        case .slowMode(let seconds): .slowMode(seconds: seconds)
        case .memberLimit: nil
        }
    }
}
