/// What a token may cost, whoever signed it: a token is checked and its patterns are matched on an event loop.
package enum TokenLimits {
    /// Bytes of the token's text.
    package static let text = 16 * 1024
    /// Bytes of the `data` claim.
    package static let authData = 2 * 1024
    package static let nesting = 64
    /// Patterns in `permissions`.
    package static let patterns = 256
    /// Of these, patterns that need the regular expression engine (see ``LiteralPattern``).
    package static let expressions = 64
    /// Bytes of one pattern.
    package static let pattern = 1024
    /// Nanoseconds of processor time for one pattern and one room.
    static let match: UInt64 = 600_000
    /// Nanoseconds of processor time for all patterns of a token and one room.
    static let evaluation: UInt64 = 1_500_000
}
