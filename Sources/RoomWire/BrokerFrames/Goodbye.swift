/// `goodbye`: why the broker closes the connection, and whether to come back.
package struct Goodbye: Equatable, Sendable {
    /// A word of the protocol's; newer brokers may have newer ones.
    package let code: String
    package let reason: String
    package let reconnects: Bool
    package let retryAfterMilliseconds: Int?

    package init(code: String, reason: String, reconnects: Bool, retryAfterMilliseconds: Int? = nil) {
        self.code = code
        self.reason = reason
        self.reconnects = reconnects
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
