import RoomModel

/// The bounds that several options share. They are wide: they keep out slips and overflows, not opinions.
enum ConfigurationBounds {
    static let longest = Duration.seconds(3_650 * 24 * 3_600)
    static let counts = 1...1_000_000_000
    /// A line that reaches `FrameLimits.endlessLine` ends its connection, so no frame can be larger.
    static let frames = 1...FrameLimits().endlessLine
    static let memory = 1_024...(1 << 40)
}
