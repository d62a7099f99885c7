/// How long to wait before the next attempt: exponential growth up to a cap, with full jitter, so that the clients of a
/// broker that went down do not all come back in the same moment.
///
/// The scheme is "full jitter" of <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
public struct Backoff: Sendable, Hashable {
    /// The longest pause before the first retry; each further one may be twice as long.
    public var base: Duration
    /// No pause is longer, unless the broker asks for it.
    public var cap: Duration

    /// Pauses of at most `base`, 2 × `base`, 4 × `base`… up to `cap`.
    public init(base: Duration = .milliseconds(200), cap: Duration = .seconds(20)) {
        self.base = base
        self.cap = cap
    }

    /// - Parameters:
    ///   - attempt: 0 for the first retry.
    ///   - jitter: a random number from 0 to 1.
    ///   - atLeast: what the broker asked for.
    func delay(attempt: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let longest = min(self.cap, self.base * (1 << min(max(attempt, 0), 20)))
        return max(longest * min(max(jitter, 0), 1), atLeast ?? .zero)
    }
}
