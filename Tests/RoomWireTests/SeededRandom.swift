/// SplitMix64: the same numbers for the same seed, so that a failing run can be repeated.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

extension Array where Element == UInt8 {
    /// The bytes in pieces of random sizes, small ones and large ones.
    func split(using random: inout SeededRandom) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var position = 0
        while position < self.count {
            let most = Bool.random(using: &random) ? 3 : 64
            let end = Swift.min(self.count, position + Int.random(in: 1...most, using: &random))
            pieces.append(self[position..<end])
            position = end
        }
        return pieces
    }
}
