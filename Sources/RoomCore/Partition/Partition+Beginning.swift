import RoomModel

extension Partition {
    /// A partition before its first record: its rooms go on where the broker has ended, in the same epoch.
    ///
    /// - Parameters:
    ///   - newestID: in Unix milliseconds; every id that the broker has given is of this time or earlier.
    ///   - limits: as for any partition.
    package init(_ rooms: some Sequence<KeptRoom>, newestID: Int64, limits: BrokerLimits) {
        self.init(limits: limits)
        self.forgottenIDs = newestID
        // in the order in which a snapshot has them
        for kept in rooms.sorted(by: { $0.key.precedes($1.key) }) {
            self.add(PartitionRoom(Room(kept, limits: self.limits), idsAfter: newestID))
            self.empty.used(kept.key, hasMembers: false)
        }
        self.countKeys()
    }
}

extension Room {
    /// Nobody is in it.
    fileprivate init(_ kept: KeptRoom, limits: BrokerLimits) {
        let epoch = kept.log?.epoch ?? Epoch(rawValue: kept.key.stableHash)
        self.init(key: kept.key, settings: kept.settings, epoch: epoch, limits: limits)
        self.rules = kept.rules
        guard let log = kept.log, self.hasHistory else { return }
        self.phase = .ready
        self.log = PartitionRoom.log(of: kept.key, in: log.epoch)
        self.lastSeq = log.lastSeq
        self.redactions = log.redactions
        for publish in kept.publishes {
            let second = SteadyClock.seconds(publish.stamp.id.milliseconds)
            self.keys.insert(publish.key, seq: publish.seq, publish.stamp, at: second)
        }
    }
}
