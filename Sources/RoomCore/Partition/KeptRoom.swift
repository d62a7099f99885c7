package import RoomModel

/// A room that a broker which ran alone has kept: a partition of a cluster can begin with it.
package struct KeptRoom: Sendable {
    package var key: RoomKey
    package var settings: RoomSettings
    package var rules: RoomRules
    /// `nil`: nothing of it is stored.
    package var log: OpenedLog?
    /// Those whose keys are still known.
    package var publishes: [StoredPublish]

    package init(
        _ key: RoomKey,
        _ settings: RoomSettings,
        rules: RoomRules,
        log: OpenedLog? = nil,
        publishes: [StoredPublish] = []
    ) {
        self.key = key
        self.settings = settings
        self.rules = rules
        self.log = log
        self.publishes = publishes
    }
}
