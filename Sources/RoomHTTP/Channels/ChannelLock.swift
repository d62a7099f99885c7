package import RoomModel

/// A setting of a channel that a flag of this start names: nobody can change it while the broker runs.
package struct ChannelLock: Sendable {
    /// As in the flag, such as `history`.
    package let name: String
    /// The flag as it can be given, such as `--channel demo,history=1000`.
    package let flag: String
    private let apply: @Sendable (ChannelSettings) -> ChannelSettings

    /// - Parameter apply: the settings as the flag has them.
    package init(name: String, flag: String, apply: @escaping @Sendable (ChannelSettings) -> ChannelSettings) {
        self.name = name
        self.flag = flag
        self.apply = apply
    }

    func allows(_ settings: ChannelSettings) -> Bool { self.apply(settings) == settings }
}
