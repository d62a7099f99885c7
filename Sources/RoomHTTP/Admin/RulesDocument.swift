import RoomControl
import RoomJSON
import RoomModel

/// A room's rules as the admin API takes them: `RulesPatch` in `Schemas/admin.openapi.yaml`.
enum RulesDocument {
    /// Reads a JSON merge patch (RFC 7396).
    static func change(_ patch: JSONTree) throws(Problem) -> RoomRulesPatch {
        let reader = try DocumentReader(
            patch,
            known: ["locked", "lock_reason", "slow_mode_seconds", "member_limit"]
        )
        var change = RoomRulesPatch()
        if reader.has("locked") { change.isLocked = .set(try reader.flag("locked") ?? false) }
        if reader.has("lock_reason") {
            let reason = try reader.text("lock_reason", "a text, or null") { _ in true }
            guard reason == nil || change.isLocked == .set(true) else {
                throw .invalid("lock_reason says why a room is locked: give it together with \"locked\":true")
            }
            change.lockReason = .set(reason)
        }
        if reader.has("slow_mode_seconds") {
            change.slowMode = .set(try Self.count(reader, "slow_mode_seconds", in: RoomRules.slowModeBounds))
        }
        if reader.has("member_limit") {
            change.memberLimit = .set(try Self.count(reader, "member_limit", in: RoomRules.memberLimitBounds))
        }
        return change
    }

    /// `nil` for null and 0.
    private static func count(
        _ reader: DocumentReader,
        _ name: String,
        in bounds: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        let number = try reader.integer(name, in: 0...bounds.upperBound)
        return number == 0 ? nil : number
    }
}
