/// Why the broker did not do what it was asked.
package struct ReplyError: Error, Hashable, Sendable {
    /// The code of an error whose broker has none: Scaledrone's.
    package static let unknownCode = "unknown"

    /// A word of the protocol's; newer brokers may have newer ones.
    package let code: String
    package let text: String
    package let retryAfterMilliseconds: Int?

    package init(code: String, text: String, retryAfterMilliseconds: Int? = nil) {
        self.code = code
        self.text = text
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }
}
