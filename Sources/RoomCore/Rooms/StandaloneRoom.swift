package import RoomModel

/// A room as its broker has kept it: a room elsewhere can go on with it.
package struct StandaloneRoom: Sendable {
    package var key: RoomKey
    package var settings: RoomSettings
    package var rules: RoomRules
    /// `nil`: nothing of it is stored.
    package var log: OpenedLog?
    /// The publishes whose keys are still known.
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

extension Room {
    /// The room goes on without members.
    package init(_ kept: StandaloneRoom, limits: BrokerLimits) {
        let epoch = kept.log?.epoch ?? Epoch(rawValue: kept.key.stableHash)
        self.init(key: kept.key, settings: kept.settings, epoch: epoch, limits: limits)
        self.rules = kept.rules
        guard let log = kept.log, self.hasHistory else { return }
        self.phase = .ready
        self.log = LogID(of: kept.key, in: log.epoch)
        self.lastSeq = log.lastSeq
        self.redactions = log.redactions
        for publish in kept.publishes {
            let second = SteadyClock.seconds(publish.stamp.id.milliseconds)
            self.keys.insert(publish.key, seq: publish.seq, publish.stamp, at: second)
        }
    }
}
