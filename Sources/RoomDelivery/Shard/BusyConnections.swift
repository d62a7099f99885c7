package import NIOCore
package import RoomCore
package import RoomModel

/// What an operator is told of a flow.
package struct FlowDescription: Equatable, Sendable {
    /// `nil`: a connection that speaks HTTP.
    package var connection: ConnectionRef?
    /// `nil` before the handshake, and when the session has ended.
    package var member: Member?
    package var address: IPAddress?

    package struct Member: Equatable, Sendable {
        package var channel: ChannelID
        package var id: ClientID
        /// One JSON value, byte for byte as the client gave it.
        package var clientData: ByteBuffer?

        package init(channel: ChannelID, id: ClientID, clientData: ByteBuffer? = nil) {
            self.channel = channel
            self.id = id
            self.clientData = clientData
        }
    }

    package init(connection: ConnectionRef? = nil, member: Member? = nil, address: IPAddress? = nil) {
        self.connection = connection
        self.member = member
        self.address = address
    }
}

/// The connections that had to wait in the last second because they had used their credit.
package struct BusyConnections: Equatable, Sendable {
    package struct Connection: Equatable, Sendable {
        package var flow: FlowDescription
        /// Of the time of its event loop, estimated by the units of its work.
        package var percent: Int

        package init(flow: FlowDescription, percent: Int) {
            self.flow = flow
            self.percent = percent
        }
    }

    package private(set) var count = 0
    /// Those with 1 percent at least, the one with the most first.
    package private(set) var busiest: [Connection] = []

    package init(count: Int = 0, busiest: [Connection] = []) {
        self.count = count
        self.busiest = busiest
    }

    /// - Parameter most: how many are named.
    package mutating func add(_ others: BusyConnections, naming most: Int) {
        self.count += others.count
        let all = self.busiest + others.busiest
        self.busiest = Array(all.sorted { $0.percent > $1.percent }.prefix(most))
    }
}

extension RoomShard {
    /// Looks which connections had to wait since the last time; see `BusyFlows`.
    ///
    /// - Parameter processorTime: that the loop's thread has used so far.
    package func sampleFlows(processorTime: TimeAmount) -> [BusyConnections.Connection] {
        self.flows.sample(now: self.now, processorTime: processorTime)
    }
}

extension Connection {
    package var description: FlowDescription? {
        let identity = self.member?.session.identity
        return FlowDescription(
            connection: self.ref,
            member: identity.map { .init(channel: $0.channel.id, id: $0.clientID, clientData: $0.clientData) },
            address: self.address
        )
    }
}
