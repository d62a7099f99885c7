package import RoomModel

extension ChannelID {
    /// The channel that there is when nobody names one.
    package static let standard: ChannelID = {
        guard let id = ChannelID("default") else { preconditionFailure("\"default\" has become an invalid channel id") }
        return id
    }()
}
