package import NIOCore
package import RoomModel

/// What a node of a cluster has to ask the others for, because each knows it of its own clients only.
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

/// What another node has answered.
package struct NodeView: Equatable, Sendable {
    package var number: NodeNumber
    /// Of its machine.
    package var host: String
    /// A JSON document; `nil`: it did not answer in time, or does not know the question.
    package var document: ByteBuffer?

    package init(number: NodeNumber, host: String, document: ByteBuffer?) {
        self.number = number
        self.host = host
        self.document = document
    }
}
