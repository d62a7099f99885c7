package import RoomModel

/// What a node has to ask the others for, because each knows it of its own clients only.
package enum NodeLook: Equatable, Sendable {
    /// The node's part of the statistics.
    case statistics
    /// How many are connected to the channel.
    case clients(of: ChannelID)
    /// Those of these members that are connected there, with their connections.
    case members([ClientID], of: RoomKey)
    /// How far a message has come.
    case trace(UniqueID, in: RoomKey)
}
