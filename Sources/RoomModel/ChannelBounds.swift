/// How far the settings of a channel go, by a flag and by the admin API alike. The bounds are wide: they keep out slips and
/// overflows, not opinions.
package enum ChannelBounds {
    package static let longest = Duration.seconds(3_650 * 24 * 3_600)
    package static let counts = 1...1_000_000_000
    /// A line that reaches `FrameLimits.endlessLine` ends its connection, so no message can be larger.
    package static let messageBytes = 1...FrameLimits().endlessLine
    package static let historyAge = Duration.seconds(1)...Self.longest
    package static let grace = Duration.zero...Self.longest
    /// Bytes.
    package static let name = 200
    /// Bytes of a rule's pattern, and rules of a channel.
    package static let pattern = 200
    package static let historyRules = 32
    /// Bytes of an origin, and origins of a channel.
    package static let origin = 300
    package static let origins = 100
    /// How long an earlier secret may still be taken at most.
    package static let overlap = Duration.seconds(30 * 24 * 3_600)
}
