public import RoomClient

/// The present and past work of the broker: `Statistics` in `Schemas/admin.openapi.yaml`.
public struct AdminStatistics: AdminDocument, Decodable, Equatable, Sendable {
    /// The figures of a channel.
    public struct Channel: Decodable, Equatable, Sendable {
        /// The id of the channel.
        public let id: String
        /// How many clients are connected.
        public let connections: Int
        /// How many rooms have members.
        public let rooms: Int
        /// How much is stored. `nil`: nothing can be read now, or the broker is older.
        public internal(set) var stored: Stored?
    }

    /// How much is stored of a channel, or of all.
    public struct Stored: Decodable, Equatable, Sendable {
        /// Rooms with stored messages.
        public let rooms: Int
        /// The number of the messages.
        public let messages: UInt64
        /// What they take, without the overhead of the file.
        public let bytes: UInt64
        /// Whether ``bytes`` is an estimate.
        public let bytesAreEstimated: Bool
        /// The size of the history file, only in the figures of all channels.
        public internal(set) var fileBytes: UInt64?
    }

    /// A node of a cluster. What is `nil` is not told: the node does not answer.
    public struct Node: Decodable, Equatable, Sendable {
        /// Its number.
        public let node: Int
        /// The name of its machine.
        public let host: String
        /// Whether it is the one that answers.
        public let this: Bool
        /// How many clients are connected to it.
        public let connections: Int?
        /// How many messages it has delivered since its start.
        public let deliveries: Int?
        /// Its version.
        public let version: String?
        /// How long it has been running.
        public let uptimeSeconds: Double?
        /// The processor time that it has used.
        public let cpuSeconds: Double?
        /// Its memory.
        public let residentBytes: UInt64?
    }

    /// A member that reads more slowly than its room talks.
    public struct SlowMember: Decodable, Equatable, Sendable {
        /// The channel of the room.
        public let channel: String
        /// The room.
        public let room: String
        /// The member's client id.
        public let id: String
        /// What the client says of itself.
        public let clientData: JSON?
        /// How many messages it is behind.
        public let lag: Int
    }

    /// A connection that has to wait for its turns.
    public struct BusyConnection: Decodable, Equatable, Sendable {
        /// Its channel. `nil`, as is ``id``, where it has no session: it speaks HTTP.
        public let channel: String?
        /// Its client id.
        public let id: String?
        /// What the client says of itself.
        public let clientData: JSON?
        /// The address of the client.
        public let address: String?
        /// The share of its event loop's time.
        public let loopPercent: Int
    }

    /// An address whose connections have to wait for their turns.
    public struct BusyAddress: Decodable, Equatable, Sendable {
        /// The address.
        public let address: String
        /// How many connections it has.
        public let connections: Int
        /// The share of an event loop's time.
        public let loopPercent: Int
    }

    /// A room that costs much of its event loop's time.
    public struct BusyRoom: Decodable, Equatable, Sendable {
        /// The channel of the room.
        public let channel: String
        /// The room.
        public let room: String
        /// The share of its event loop's time.
        public let loopPercent: Int
    }

    /// The time of these figures.
    public let time: AdminTime
    /// How many clients are connected.
    public let connections: Int
    /// How many rooms have members.
    public let rooms: Int
    /// A client counts in each room that it is in.
    public let members: Int
    /// How many read more slowly than their rooms talk.
    public let slow: Int
    /// Some of those, the furthest behind first.
    public let slowest: [SlowMember]
    /// How many waited a tenth of a second or longer for a turn, in the last second; `nil`: the broker is older.
    public let busy: Int?
    /// Some of those that had to wait for a turn, however shortly, the one that uses most of its event loop first.
    public let busiest: [BusyConnection]?
    /// The same by address.
    public let busiestAddresses: [BusyAddress]?
    /// The rooms that cost most.
    public let busiestRooms: [BusyRoom]?
    /// How many messages were published since the start.
    public let publishes: Int
    /// How many messages were delivered since the start.
    public let deliveries: Int
    // The following fields are `nil` where the broker is older, as are those that cannot be told now.
    /// The bytes of the published messages.
    public package(set) var publishedBytes: Int?
    /// The bytes of the delivered messages.
    public package(set) var deliveredBytes: Int?
    /// Requests that were answered with an error.
    public package(set) var errors: Int?
    /// How much is stored of all channels.
    public package(set) var stored: Stored?
    /// The figures of each channel.
    public let channels: [Channel]
    /// The version of the broker.
    public package(set) var version: String?
    /// How long the broker has been running.
    public package(set) var uptimeSeconds: Double?
    /// The processor time that it has used.
    public package(set) var cpuSeconds: Double?
    /// Its memory.
    public package(set) var residentBytes: UInt64?
    /// The median of the commit times of the last seconds.
    public package(set) var commitP50Seconds: Double?
    /// Their 99th percentile.
    public package(set) var commitP99Seconds: Double?
    /// When the certificate that new connections get expires; `nil` without TLS.
    public package(set) var certificateExpires: String?
    /// What the broker may still write on the disk of its data directory.
    public package(set) var diskFreeBytes: UInt64?
    /// The size of that disk.
    public package(set) var diskBytes: UInt64?
    /// A word for each thing that somebody should look at.
    public package(set) var warnings: [String]?
    /// The nodes of the cluster; `nil` where the broker runs alone. Connections, slow and busy clients, deliveries and errors are then those
    /// of all nodes together.
    public package(set) var nodes: [Node]?
}
