package import NIOCore

/// A log of one partition that loses, repeats, delays and mixes up what is appended to it, and takes nothing for a while when
/// its servers elect a leader. Its clock is the leader's: with another leader it is ahead of the old one's, or behind it.
package struct LossyLog: Sendable {
    package struct Record: Sendable {
        /// When the log took it, in Unix milliseconds.
        package var time: Int64
        package var bytes: ByteBuffer
    }

    /// What the log has, from place 1 on.
    package private(set) var records: [Record] = []
    /// What was appended and is not in the log yet: when it comes there.
    private var underWay: [(time: UInt64, bytes: ByteBuffer)] = []
    private var random: SeededRandom
    private let loss: Int
    private var electionEnds: UInt64 = 0
    /// By how much the clock of the leader is ahead, in milliseconds.
    private var lead: Int64 = 0

    private static let millisecond: UInt64 = 1_000_000
    private static let start: Int64 = 1_763_697_600_000

    package init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
        self.loss = self.random.below(40)
    }

    /// Everything that was appended is there, or lost.
    package var isIdle: Bool { self.underWay.isEmpty }

    /// For up to so many milliseconds nothing is taken, and most of what is appended is lost.
    package mutating func elect(at now: UInt64, milliseconds: Int = 20_000) {
        self.electionEnds = now + UInt64(self.random.below(milliseconds)) * Self.millisecond
        self.lead = Int64(self.random.below(4_000)) - 2_000
        if self.random.chance(5) { self.lead += self.random.chance(50) ? 3_600_000 : -3_600_000 }
    }

    /// Loses it, or brings it once or twice, soon or late; so copies change places.
    ///
    /// - Parameter now: monotonic, in nanoseconds.
    package mutating func append(_ bytes: ByteBuffer, at now: UInt64) {
        if self.random.chance(now < self.electionEnds ? 60 : self.loss) { return }
        for _ in 0..<(self.random.chance(10) ? 2 : 1) {
            let delay = self.random.chance(15) ? 2_000 : 20
            let time = now + UInt64(self.random.below(delay)) * Self.millisecond
            self.underWay.append((max(time, self.electionEnds), bytes))
        }
    }

    /// Takes what has come.
    package mutating func store(at now: UInt64) {
        let time = Self.start + self.lead + Int64(now / Self.millisecond)
        self.records += self.underWay.filter { $0.time <= now }.map { Record(time: time, bytes: $0.bytes) }
        self.underWay.removeAll { $0.time <= now }
    }
}
