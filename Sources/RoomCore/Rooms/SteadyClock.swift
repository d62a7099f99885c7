/// A time that goes on evenly whoever sets the machine's clock: Unix time as it was at the first look, counted on.
///
/// The monotonic clock is read only where the clock may have been set; the other one is read in every turn anyway.
package struct SteadyClock {
    /// A clock that moved on by no more than this was not set, or by too little to matter.
    private static let step: Int64 = 1_000

    /// Where a clock that is set to another century stays: what is added to a second does not overflow.
    private static let last = Int64(UInt32.max) - 86_400

    /// Both clocks at the first look, in milliseconds.
    private var origin: (unix: Int64, uptime: Int64)?
    /// Unix milliseconds at the latest look.
    private var latest: Int64 = 0
    /// By how much the machine's clock is ahead of this one.
    private var lead: Int64 = 0
    /// The smallest lead that it had before it was set forward, and the time of this clock until when that is remembered.
    private var before: (lead: Int64, until: Int64)?

    /// How long a lead is remembered: nobody asks for what is older.
    private static let remembered = Int64(PublishKeys.lifetimeSeconds) * 1_000

    package init() {}

    /// The time now.
    ///
    /// - Parameters:
    ///   - unix: the machine's clock, in milliseconds.
    ///   - uptime: a monotonic clock, in nanoseconds.
    /// - Returns: milliseconds.
    package mutating func milliseconds(at unix: Int64, uptime: () -> UInt64) -> Int64 {
        if self.origin == nil || !(0...Self.step).contains(unix - self.latest) {
            self.compare(unix, uptime: uptime())
        }
        self.latest = unix
        return unix - self.lead
    }

    /// The same in seconds.
    package mutating func second(at unix: Int64, uptime: () -> UInt64) -> UInt32 {
        Self.seconds(self.milliseconds(at: unix, uptime: uptime))
    }

    /// Compares the two clocks, also where the machine's clock seems not to have been set.
    package mutating func compare(_ unix: Int64, uptime: UInt64) {
        let uptime = Int64(uptime / 1_000_000)
        let origin = self.origin ?? (unix, uptime)
        self.origin = origin
        let now = origin.unix + uptime - origin.uptime
        let lead = unix - now
        if lead > self.lead + Self.step { self.before = (self.smallestLead(at: now), now + Self.remembered) }
        self.lead = lead
        self.latest = unix
    }

    /// The smallest lead of the last ten minutes.
    private func smallestLead(at now: Int64) -> Int64 {
        guard let before, now < before.until else { return self.lead }
        return min(before.lead, self.lead)
    }

    private var now: Int64 { self.latest - self.lead }

    /// What the machine's clock said ten minutes ago, or has said since if that was less.
    package var tenMinutesAgo: Int64 { self.now - Self.remembered + self.smallestLead(at: self.now) }

    /// When that was at which the machine's clock said this. Where it was set meanwhile, it may have said so more than once:
    /// the latest time counts, now at the latest.
    func second(of unix: Int64) -> UInt32 {
        Self.seconds(min(unix - self.smallestLead(at: self.now), self.now))
    }

    package static func seconds(_ milliseconds: Int64) -> UInt32 {
        UInt32(min(max(milliseconds / 1_000, 0), self.last))
    }
}
