/// What moderators have set for a room, as the admin API shows it: `RoomRules` in `Schemas/admin.openapi.yaml`.
struct AdminRules: AdminDocument, Decodable, Equatable, Sendable {
    let locked: Bool
    let lockReason: String?
    /// `nil`: off.
    let slowModeSeconds: Int?
    /// `nil`: as the channel says.
    let memberLimit: Int?

    /// `locked`, `slow 10s`, `at most 50`: those that are set.
    var words: [String] {
        [
            self.locked ? "locked" : nil,
            self.slowModeSeconds.map { "slow \(ShownTime.duration(seconds: Double($0)))" },
            self.memberLimit.map { "at most \($0)" },
        ].compactMap(\.self)
    }
}
