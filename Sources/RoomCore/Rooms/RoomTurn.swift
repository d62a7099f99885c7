package import RoomModel

/// The moment at which a room takes what waits: all that a batch has of time, of randomness and of the rest of the broker, as a
/// value. The same commands in the same turns make the same room, in whatever process.
package struct RoomTurn: Equatable, Sendable {
    /// Unix milliseconds.
    package var milliseconds: Int64
    /// Milliseconds that go on evenly whoever sets the clock (`SteadyClock`): publish keys and slow-mode go by them.
    package var steadyMilliseconds: Int64
    /// The ids of what happens.
    package var ids: IDSequence
    /// The channel has a place for one more room with members: a room without members may get some.
    package var hasPlace: Bool

    package init(milliseconds: Int64, steadyMilliseconds: Int64, ids: IDSequence, hasPlace: Bool = true) {
        self.milliseconds = milliseconds
        self.steadyMilliseconds = steadyMilliseconds
        self.ids = ids
        self.hasPlace = hasPlace
    }

    var steadySecond: UInt32 { SteadyClock.seconds(self.steadyMilliseconds) }
}

/// UUIDv7s, strictly increasing (RFC 9562 §6.2, method 1). Their random bits follow from a seed.
package struct IDSequence: Equatable, Sendable {
    /// Those of the newest id.
    package private(set) var milliseconds: Int64
    /// -1: no id of this millisecond has been given.
    package private(set) var sequence: Int
    /// From which the random bits of the next id follow.
    package private(set) var state: UInt64

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
