package import RoomModel

/// Flows that have one turn together: the connections of one user, or of one address.
package enum WorkGroup: Hashable, Sendable {
    case user(ChannelID, String)
    /// An IPv6 address stands for its /64.
    case network(IPAddress)
    /// A flow by itself.
    case flow(ObjectIdentifier)

    /// The group of a user, or else of an address. `nil` where neither is known, and on this machine: everybody may come
    /// from there by way of one proxy.
    package init?(user: String? = nil, in channel: ChannelID? = nil, from address: IPAddress?) {
        if let user, let channel {
            self = .user(channel, user)
        } else if let address, !address.isLoopback {
            self = .network(address.network)
        } else {
            return nil
        }
    }
}
