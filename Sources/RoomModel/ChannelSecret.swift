/// The secret that a channel's tokens are signed with and that REST shows: 32 random bytes as 43 characters of base64url
/// (RFC 4648 §5). It never stands in a log, an error or a listing; only who makes or rotates it is shown it.
package struct ChannelSecret: Equatable, Sendable, CustomStringConvertible {
    package let text: String
    /// Unix seconds from which on it is not taken any more; `nil`: it is the channel's current one.
    package var expires: Int64?

    package init(text: String, expires: Int64? = nil) {
        self.text = text
        self.expires = expires
    }

    package var description: String { "(secret)" }
}
