/// The pauses between attempts: they grow exponentially up to a limit and are random, so that the clients of a broker that was
/// restarted do not all reconnect at the same moment.
///
/// The algorithm is "full jitter" of <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
public struct Backoff: Sendable, Hashable {
    /// The longest pause before the first retry. The longest pause doubles with each retry.
    public var base: Duration
    /// The limit for every pause. A pause is longer only if the broker asks for it.
    public var cap: Duration

    /// Creates pauses between zero and `base`, 2 × `base`, 4 × `base`… up to `cap`.
    public init(base: Duration = .milliseconds(200), cap: Duration = .seconds(20)) {
        self.base = base
        self.cap = cap
    }

    /// A random number from 0 to 1.
    static var jitter: Double { .random(in: 0..<1) }

    /// - Parameters:
    ///   - attempt: 0 for the first retry.
    ///   - jitter: a random number from 0 to 1.
    ///   - atLeast: the pause that the broker asked for.
    func delay(attempt: Int, jitter: Double, atLeast: Duration? = nil) -> Duration {
        let longest = min(self.cap, self.base * (1 << min(max(attempt, 0), 20)))
        return max(longest * min(max(jitter, 0), 1), atLeast ?? .zero)
    }
}
