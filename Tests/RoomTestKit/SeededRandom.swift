/// SplitMix64: the same numbers for the same seed, so that a failing run can be repeated.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    /// One that begins with it draws the same from here on.
    package private(set) var state: UInt64

    package init(seed: UInt64) {
        self.state = seed
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }

    /// True about `percent` times in a hundred.
    package mutating func chance(_ percent: Int) -> Bool {
        Int(self.next() % 100) < percent
    }

    /// A number from 0 to `limit - 1`; 0 where there is none.
    package mutating func below(_ limit: Int) -> Int {
        limit > 0 ? Int(self.next() % UInt64(limit)) : 0
    }
}
