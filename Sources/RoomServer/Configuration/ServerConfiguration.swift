/// Everything that the broker can be told at start, with the defaults.
///
/// A value is made once, by `ConfigurationLoader`, and never changes while the broker runs. `OptionTable` binds each
/// option's key to a field of it, so that the default stands here and nowhere else.
package struct ServerConfiguration: Equatable, Sendable {
    package var listen = ListenSettings()
    package var storage: StorageLocation
    /// The channels to make sure of at start.
    package var channels = [ChannelOverride.implied]
    /// How far the clocks of those who make tokens may be off.
    package var tokenSkew = Duration.seconds(30)
    package var text = TextRoomSettings()
    package var limits = Limits()
    package var timeouts = Timeouts()
    package var process = ProcessSettings()

    package init(storage: StorageLocation) {
        self.storage = storage
    }
}
