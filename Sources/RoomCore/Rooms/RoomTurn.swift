package import RoomModel

/// The moment at which a room takes what waits: all that a batch has of time and of randomness, as a value. The same
/// commands in the same turns make the same room.
package struct RoomTurn: Equatable, Sendable {
    /// Unix milliseconds.
    package var milliseconds: Int64
    /// Seconds that go on evenly whoever sets the clock: publish keys live by them.
    package var steadySecond: UInt32
    /// A monotonic time in nanoseconds; looked at only where `Room.needsUptime` says so.
    package var uptime: UInt64
    /// The ids of what happens.
    package var ids: IDSequence

    package init(milliseconds: Int64, steadySecond: UInt32, uptime: UInt64, ids: IDSequence) {
        self.milliseconds = milliseconds
        self.steadySecond = steadySecond
        self.uptime = uptime
        self.ids = ids
    }
}

/// UUIDv7s, strictly increasing (RFC 9562 §6.2, method 1). Their random bits follow from a seed.
package struct IDSequence: Equatable, Sendable {
    /// Those of the newest id.
    package private(set) var milliseconds: Int64
    /// -1: no id of this millisecond has been given.
    package private(set) var sequence: Int
    private var state: UInt64

    package init(milliseconds: Int64, sequence: Int = -1, seed: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
        self.state = seed
    }

    package mutating func next() -> UniqueID {
        if self.sequence < 0xfff {
            self.sequence += 1
        } else {
            self.milliseconds += 1
            self.sequence = 0
        }
        return UniqueID(
            milliseconds: self.milliseconds,
            sequence: UInt16(truncatingIfNeeded: self.sequence),
            random: self.random()
        )
    }

    /// SplitMix64.
    private mutating func random() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var bits = self.state
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }
}
