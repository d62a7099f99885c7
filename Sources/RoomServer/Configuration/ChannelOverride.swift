package import RoomModel

/// What a `--channel` says about one channel: the settings that it names, `nil` for those that it leaves alone.
package struct ChannelOverride: Equatable, Sendable {
    package enum History: Equatable, Sendable {
        case off
        /// The newest messages of a room that are kept.
        case count(Int)
    }

    package var id: ChannelID
    package var history: History?
    /// Of the history that the channel has; without one it changes nothing.
    package var historyAge: Duration?
    package var durability: Durability?
    package var grace: Duration?
    package var authentication: Authentication?
    package var tokenExpiry: TokenExpiry?
    package var presence: PresenceScope?
    /// The channel is made where it is missing, and left as it is where it exists.
    package var onlyCreates = false

    package init(
        id: ChannelID,
        history: History? = nil,
        historyAge: Duration? = nil,
        durability: Durability? = nil,
        grace: Duration? = nil,
        authentication: Authentication? = nil,
        tokenExpiry: TokenExpiry? = nil,
        presence: PresenceScope? = nil
    ) {
        self.id = id
        self.history = history
        self.historyAge = historyAge
        self.durability = durability
        self.grace = grace
        self.authentication = authentication
        self.tokenExpiry = tokenExpiry
        self.presence = presence
    }

    /// What there is without any `--channel`. Nobody named it, so it does not overrule what is stored.
    package static var implied: ChannelOverride {
        var channel = ChannelOverride(id: .standard, history: .count(1_000))
        channel.onlyCreates = true
        return channel
    }

    /// The channel's settings from now on: what is named here wins over what is stored.
    package func settings(over existing: ChannelSettings?) -> ChannelSettings {
        if let existing, self.onlyCreates { return existing }
        var settings = existing ?? ChannelSettings(id: self.id)
        switch self.history {
        case .off: settings.history = nil
        case .count(let count):
            settings.history = settings.history ?? HistorySettings(count: count)
            settings.history?.count = count
        case nil: break
        }
        if let historyAge { settings.history?.age = historyAge }
        if let durability { settings.durability = durability }
        if let grace { settings.grace = grace }
        if let authentication { settings.authentication = authentication }
        if let tokenExpiry { settings.tokenExpiry = tokenExpiry }
        if let presence { settings.presence = presence }
        return settings
    }
}
