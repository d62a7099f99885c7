/// The room and the role of one of the connections that a workload opens first.
struct ConnectionPlace: Equatable {
    /// By its number.
    let room: Int
    /// It subscribes. Otherwise it publishes, and is in no room.
    let isMember: Bool

    /// The publishers come last, when those who are to hear them are there; both are spread over the rooms in turn. `churn`
    /// has none.
    static func all(of plan: WorkloadPlan) -> [ConnectionPlace] {
        guard plan.workload != .churn, let rooms = plan.settings.rooms else { return [] }
        let members = (0..<(plan.settings.members ?? 0)).map { ConnectionPlace(room: $0 % rooms, isMember: true) }
        let publishers = (0..<(plan.settings.publishers ?? 0)).map {
            ConnectionPlace(room: $0 % rooms, isMember: false)
        }
        return members + publishers
    }
}
