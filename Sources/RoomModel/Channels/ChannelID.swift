/// A channel: the namespace of rooms that belongs to one app. 1 to 64 characters of `A-Z a-z 0-9 _ -`.
package struct ChannelID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// `nil` where the text is not a valid channel id or is reserved (protocol §1: the names are paths of the HTTP side).
    package init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed), !Self.reserved.contains(text)
        else { return nil }
        self.text = text
    }

    package static let reserved: Set<String> = ["admin", "v3", "console", "metrics", "health", "chat", "assets"]

    package var description: String { self.text }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

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
