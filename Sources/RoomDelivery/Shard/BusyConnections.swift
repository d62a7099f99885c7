package import NIOCore
package import RoomCore
package import RoomModel

/// The description of a flow for an operator.
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
    }

    package init(connection: ConnectionRef? = nil, member: Member? = nil, address: IPAddress? = nil) {
        self.connection = connection
        self.member = member
        self.address = address
    }
}

/// The connections that had to wait in the last second because they had used their credit, the addresses that they came
/// from, and the rooms that cost most. A percentage is that of the time of one event loop, estimated by units of work; of
/// several loops they are added up.
package struct BusyConnections: Equatable, Sendable {
    package struct Connection: Equatable, Sendable {
        package var flow: FlowDescription
        /// The percentage of its event loop's time, estimated by the units of its work.
        package var percent: Int
    }

    package struct Address: Equatable, Sendable {
        /// An IPv6 address stands for its /64.
        package var address: IPAddress
        /// Those that had to wait.
        package var connections: Int
        package var percent: Int
    }

    package struct Room: Equatable, Sendable {
        package var room: RoomKey
        package var percent: Int
    }

    /// Those that have waited for a tenth of a second or longer.
    package private(set) var count = 0
    /// Those with 1 percent at least, the one with the most first.
    package private(set) var busiest: [Connection] = []
    /// The same of the addresses that they came from, each with all of its connections.
    package private(set) var addresses: [Address] = []
    /// The same of the rooms, whoever waits.
    package private(set) var rooms: [Room] = []

    package init(count: Int = 0, busiest: [Connection] = [], addresses: [Address] = [], rooms: [Room] = []) {
        self.count = count
        self.busiest = busiest
        self.addresses = addresses
        self.rooms = rooms
    }

    /// - Parameter most: how many are named.
    mutating func add(_ others: BusyConnections, naming most: Int) {
        self.count += others.count
        let all = self.busiest + others.busiest
        self.busiest = Array(all.sorted { $0.percent > $1.percent }.prefix(most))
        self.addresses = Self.merged(self.addresses, others.addresses, by: \.address, naming: most, \.percent) {
            $0.connections += $1.connections
            $0.percent += $1.percent
        }
        self.rooms = Self.merged(self.rooms, others.rooms, by: \.room, naming: most, \.percent) {
            $0.percent += $1.percent
        }
    }

    private static func merged<Element, Key: Hashable>(
        _ left: [Element],
        _ right: [Element],
        by key: (Element) -> Key,
        naming most: Int,
        _ percent: (Element) -> Int,
        add: (inout Element, Element) -> Void
    ) -> [Element] {
        var places: [Key: Int] = [:]
        var all: [Element] = []
        for element in left + right {
            if let place = places[key(element)] {
                add(&all[place], element)
            } else {
                places[key(element)] = all.count
                all.append(element)
            }
        }
        return Array(all.sorted { percent($0) > percent($1) }.prefix(most))
    }
}

extension RoomShard {
    /// Looks which connections had to wait since the last time, and what the rooms have cost; see `BusyFlows`.
    ///
    /// - Parameter processorTime: that the loop's thread has used so far.
    package func sampleFlows(processorTime: TimeAmount) -> [BusyConnections.Connection] {
        let rooms = self.context.busyRooms.takeSample(naming: BusyFlows.named)
        return self.flows.sample(now: self.now, processorTime: processorTime, rooms: rooms)
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
