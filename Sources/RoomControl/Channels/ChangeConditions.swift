package import RoomModel

/// The condition that `If-Match` sets for the version of a resource (RFC 9110 §13.1.1).
package enum VersionCondition: Equatable, Sendable {
    /// No such header, or `*`: whatever the version is.
    case any
    case oneOf(Set<Int64>)

    func holds(for version: Int64) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let versions): versions.contains(version)
        }
    }
}

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
