package import RoomModel

/// Where a subscriber starts in a room's log: the answer to a `JoinCommand`.
package struct JoinGrant: Equatable, Sendable {
    /// Where what was missed, or the history asked for, comes from, before the live entries.
    package enum Replay: Equatable, Sendable {
        case none
        /// The messages above `after` are all in the memory window.
        case window(after: UInt64)
        /// The messages above `after` up to the grant's `seq`, from the store.
        case store(after: UInt64)
        /// The messages among them, as `history_message` frames. `redactions`: the entries among them that are none.
        case history(after: UInt64, redactions: [UInt64] = [])
    }

    package var epoch: Epoch
    /// The newest message when the subscriber was let in.
    package var seq: UInt64
    /// For a subscribe with `since`: whether all that was missed follows.
    package var recovered: Bool?
    package var gap: Gap?
    package var replay: Replay

    package init(epoch: Epoch, seq: UInt64, recovered: Bool? = nil, gap: Gap? = nil, replay: Replay = .none) {
        self.epoch = epoch
        self.seq = seq
        self.recovered = recovered
        self.gap = gap
        self.replay = replay
    }
}

/// Messages that a subscriber will not get: from `from` to `through`, both included.
package struct Gap: Equatable, Sendable {
    package enum Reason: String, CaseIterable, Sendable {
        case trimmed
        case expired
        /// Damaged in the store.
        case lost
        case slow
        case cleared
        case denied
        case epoch
    }

    package var from: UInt64
    package var through: UInt64
    package var reason: Reason

    package init(from: UInt64, through: UInt64, reason: Reason) {
        self.from = from
        self.through = through
        self.reason = reason
    }
}
