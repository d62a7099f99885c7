/// Bounds on the cost of a token, whoever signed it: a token is checked and its patterns are matched on an event loop.
enum TokenLimits {
    /// Bytes of the token's text.
    static let text = 16 * 1024
    /// Bytes of the `data` claim.
    static let authData = 2 * 1024
    static let nesting = 64
    /// Patterns in `permissions`.
    static let patterns = 256
    /// Patterns, among these, that need the regular expression engine (see ``LiteralPattern``).
    static let expressions = 64
    /// Bytes of one pattern.
    static let pattern = 1024
    /// Nanoseconds of processor time after which one pattern is given up. A pattern that is meant seriously takes some
    /// thousands; the engine can be stopped every 10,000 steps, most often some 100,000 ns apart.
    static let match: UInt64 = 300_000
    /// Nanoseconds of processor time for all patterns of a token and one room; what has not been tried by then is not.
    static let evaluation: UInt64 = 2_000_000
    /// An evaluation is slow that costs more than this, and as much as follows for each search.
    static let slow: UInt64 = 100_000
    static let search: UInt64 = 5_000
    /// Nanoseconds that all slow evaluations of one account may cost; then the patterns for the engine are given up.
    static let slowTotal: UInt64 = 50_000_000
    /// Patterns that one account may give up; then all are.
    static let givenUp = 256
    /// Seconds after which an account begins anew, with the next token.
    static let accountPeriod: Int64 = 60
    /// Accounts of users in one generation of those that a channel remembers, and answers for rooms.
    static let accounts = 512
    static let answers = 8_192
}
