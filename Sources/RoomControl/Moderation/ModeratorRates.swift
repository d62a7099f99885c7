import NIOConcurrencyHelpers
package import RoomCore
package import RoomModel

/// Limits how often a member may act as a moderator, on however many connections and event loops: each act is an entry of
/// the audit log and a synced write.
package final class ModeratorRates: Sendable {
    private struct Person: Hashable {
        var channel: ChannelID
        var author: Author
    }

    private static let perSecond = 10
    /// A moderator in a raid has many to ban.
    private static let atOnce = 30
    /// Moderators that are remembered; beyond it the next one has to wait until others have been idle.
    private static let capacity = 10_000
    /// Nanoseconds from one act to the next.
    private static let interval = 1_000_000_000 / UInt64(perSecond)

    /// When a moderator may do all at once again, a monotonic time in nanoseconds.
    private let restedAt = NIOLockedValueBox<[Person: UInt64]>([:])

    package init() {}

    package var count: Int { self.restedAt.withLockedValue(\.count) }

    /// Counts an act, if it may be made.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    /// - Returns: why it may not: `rate_limited`.
    package func refusal(of moderator: Moderator, in channel: ChannelID, now: UInt64) -> RequestError? {
        guard let person = moderator.person else { return nil }
        let wait = self.wait(Person(channel: channel, author: Author(person)), now: now)
        return wait.map { wait in
            RequestError(
                .rateLimited,
                "more than \(Self.perSecond) moderation actions a second; wait before the next one",
                retryAfterMilliseconds: wait
            )
        }
    }

    /// - Returns: `nil` if an act may be made; otherwise how many milliseconds to wait.
    private func wait(_ person: Person, now: UInt64) -> Int? {
        self.restedAt.withLockedValue { restedAt in
            if restedAt[person] == nil, restedAt.count >= Self.capacity {
                restedAt = restedAt.filter { $0.value > now }
                guard restedAt.count < Self.capacity else { return 1_000 }
            }
            let next = max(restedAt[person] ?? 0, now) + Self.interval
            let latest = now + UInt64(Self.atOnce) * Self.interval
            guard next <= latest else { return Int((next - latest + 999_999) / 1_000_000) }
            restedAt[person] = next
            return nil
        }
    }
}
