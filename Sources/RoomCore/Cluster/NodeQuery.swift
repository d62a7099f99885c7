package import RoomModel

/// A question of a node to the others, because each knows the answer for its own clients only.
package enum NodeQuery: Equatable, Sendable {
    /// The node's part of the statistics.
    case statistics
    /// How many are connected to the channel.
    case clients(of: ChannelID)
    /// Those of these members that are connected there, with their connections.
    case members([ClientID], of: RoomKey)
    /// How far a message has come.
    case trace(UniqueID, in: RoomKey)
}
