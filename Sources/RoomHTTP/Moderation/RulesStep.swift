import RoomDelivery
import RoomJSON
import RoomModel

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
        case .lock(nil): Notice(text: "This room is locked: nobody can write for now.", kind: .locked)
        case .lock(let reason?): Notice(text: "This room is locked: \(reason)", kind: .locked)
        case .unlock: Notice(text: "This room is open again.", kind: .unlocked)
        case .slowMode(0): Notice(text: "Slow mode is off.", kind: .slowMode(seconds: 0))
        case .slowMode(let seconds):
            Notice(
                text: "Slow mode: a message every \(seconds == 1 ? "second" : "\(seconds) seconds") from each member.",
                kind: .slowMode(seconds: seconds)
            )
        case .memberLimit: nil
        }
    }
}

extension [JSONTree.Field] {
    /// The field, or none where there is no text.
    static func present(_ name: String, _ text: String?) -> [JSONTree.Field] {
        text.map { [JSONTree.Field(name, .string($0))] } ?? []
    }
}
