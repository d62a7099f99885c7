package import RoomModel
package import RoomWire

/// The rules that moderators have set for a room: `Rules` in `Schemas/admin.openapi.yaml`.
public struct AdminRules: AdminDocument, Equatable, Sendable {
    private var rules = RoomRules()

    /// Only moderators can publish.
    public var locked: Bool { self.rules.isLocked }
    /// The text that the members are told about the lock.
    public var lockReason: String? { self.rules.lockReason }
    /// The pause of a member between two messages; `nil`: off.
    public var slowModeSeconds: Int? { self.rules.slowMode }
    /// The most members; `nil`: as the channel says.
    public var memberLimit: Int? { self.rules.memberLimit }

    package init(_ rules: RoomRules) { self.rules = rules }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try self.rules.fields(&visitor)
    }
}

/// A change of some of a room's rules: `RulesPatch` in `Schemas/admin.openapi.yaml`.
package struct AdminRulesPatch: AdminDocument, Equatable {
    package var isLocked = Nullable<Bool>.absent
    package var lockReason = Nullable<String>.absent
    /// Seconds; 0 is the same as null.
    package var slowMode = Nullable<Int>.absent
    package var memberLimit = Nullable<Int>.absent

    package init(
        isLocked: Nullable<Bool> = .absent,
        lockReason: Nullable<String> = .absent,
        slowMode: Nullable<Int> = .absent,
        memberLimit: Nullable<Int> = .absent
    ) {
        (self.isLocked, self.lockReason) = (isLocked, lockReason)
        (self.slowMode, self.memberLimit) = (slowMode, memberLimit)
    }

    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.change("locked", &self.isLocked)
        try visitor.change("lock_reason", &self.lockReason, .like("a text, or null"))
        if self.lockReason.value != nil, self.isLocked != .value(true) {
            try visitor.refuse("lock_reason says why a room is locked: give it together with \"locked\":true")
        }
        try visitor.change("slow_mode_seconds", &self.slowMode, within: 0...RoomRules.slowModeBounds.upperBound)
        try visitor.change("member_limit", &self.memberLimit, within: 0...RoomRules.memberLimitBounds.upperBound)
    }
}
