import RoomModel

/// The bounds that several options share. They are wide: they keep out slips and overflows, not opinions.
enum ConfigurationBounds {
    static let longest = ChannelBounds.longest
    static let counts = ChannelBounds.counts
    static let frames = ChannelBounds.messageBytes
    static let memory = 1_024...(1 << 40)
}
