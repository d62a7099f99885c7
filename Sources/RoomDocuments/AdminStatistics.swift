package import NIOCore
package import RoomWire

/// The present and past work of the broker: `Statistics` in `Schemas/admin.openapi.yaml`.
public struct AdminStatistics: Equatable, Sendable {
    /// The figures of a channel.
    public struct Channel: Equatable, Sendable {
        /// The id of the channel.
        public package(set) var id = ""
        /// How many clients are connected.
        public package(set) var connections = 0
        /// How many rooms have members.
        public package(set) var rooms = 0
        /// How much is stored. `nil`: nothing can be read now, or the broker is older.
        public package(set) var stored: Stored?
    }

    /// How much is stored of a channel, or of all.
    public struct Stored: Equatable, Sendable {
        /// When it was measured, only in the figures of all channels.
        package var time: AdminTime?
        /// Rooms with stored messages.
        public package(set) var rooms = 0
        /// The number of the messages.
        public package(set) var messages: UInt64 = 0
        /// The bytes that they take, without the overhead of the file.
        public package(set) var bytes: UInt64 = 0
        /// Whether ``bytes`` is an estimate.
        public package(set) var bytesAreEstimated = false
        /// The size of the history file, only in the figures of all channels.
        public package(set) var fileBytes: UInt64?
    }

    /// A node of a cluster. What is `nil` is not told: the node does not answer.
    public struct Node: Equatable, Sendable {
        /// Its number.
        public package(set) var node = 0
        /// The name of its machine.
        public package(set) var host = ""
        /// Whether it is the one that answers.
        public package(set) var this = false
        /// How many clients are connected to it.
        public package(set) var connections: Int?
        /// How many messages it has delivered since its start.
        public package(set) var deliveries: Int?
        /// Its version.
        public package(set) var version: String?
        /// How long it has been running.
        public package(set) var uptimeSeconds: Double?
        /// The processor time that it has used.
        public package(set) var cpuSeconds: Double?
        /// Its memory.
        public package(set) var residentBytes: UInt64?
    }

    /// A member that reads more slowly than its room talks.
    public struct SlowMember: Equatable, Sendable {
        /// The channel of the room.
        public package(set) var channel = ""
        /// The room.
        public package(set) var room = ""
        /// The member's client id.
        public package(set) var id = ""
        package var clientDataBytes: ByteBuffer?
        /// How many messages it is behind.
        public package(set) var lag = 0
    }

    /// A connection that has to wait for its turns.
    public struct BusyConnection: Equatable, Sendable {
        /// Its channel. `nil`, as is ``id``, where it has no session: it speaks HTTP.
        public package(set) var channel: String?
        /// Its client id.
        public package(set) var id: String?
        package var clientDataBytes: ByteBuffer?
        /// The address of the client.
        public package(set) var address: String?
        /// The share of its event loop's time.
        public package(set) var loopPercent = 0
    }

    /// An address whose connections have to wait for their turns.
    public struct BusyAddress: Equatable, Sendable {
        /// The address.
        public package(set) var address = ""
        /// How many connections it has.
        public package(set) var connections = 0
        /// The share of an event loop's time.
        public package(set) var loopPercent = 0
    }

    /// A room that costs much of its event loop's time.
    public struct BusyRoom: Equatable, Sendable {
        /// The channel of the room.
        public package(set) var channel = ""
        /// The room.
        public package(set) var room = ""
        /// The share of its event loop's time.
        public package(set) var loopPercent = 0
    }

    /// The time of these figures.
    public package(set) var time = AdminTime(rawValue: "")
    /// How many clients are connected.
    public package(set) var connections = 0
    /// How many rooms have members.
    public package(set) var rooms = 0
    /// A client counts in each room that it is in.
    public package(set) var members = 0
    /// How many read more slowly than their rooms talk.
    public package(set) var slow = 0
    /// Some of those, the furthest behind first.
    public package(set) var slowest: [SlowMember] = []
    /// How many waited a tenth of a second or longer for a turn, in the last second; `nil`: the broker is older.
    public package(set) var busy: Int?
    /// Some of those that had to wait for a turn, however shortly, the one that uses most of its event loop first.
    public package(set) var busiest: [BusyConnection]?
    /// The same by address.
    public package(set) var busiestAddresses: [BusyAddress]?
    /// The rooms that cost most.
    public package(set) var busiestRooms: [BusyRoom]?
    /// How many messages were published since the start.
    public package(set) var publishes = 0
    /// How many messages were delivered since the start.
    public package(set) var deliveries = 0
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
    public package(set) var channels: [Channel] = []
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
    /// The 99th percentile of the commit times.
    public package(set) var commitP99Seconds: Double?
    /// When the certificate that new connections get expires; `nil` without TLS.
    public package(set) var certificateExpires: String?
    /// The bytes that the broker may still write on the disk of its data directory.
    public package(set) var diskFreeBytes: UInt64?
    /// The size of that disk.
    public package(set) var diskBytes: UInt64?
    /// A word for each thing that somebody should look at.
    public package(set) var warnings: [String]?
    /// The nodes of the cluster; `nil` where the broker runs alone. Connections, slow and busy clients, deliveries and errors are then those
    /// of all nodes together.
    public package(set) var nodes: [Node]?
}

extension AdminStatistics: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("time", &self.time)
        try visitor.field("connections", &self.connections)
        try visitor.field("rooms", &self.rooms)
        try visitor.field("members", &self.members)
        try visitor.field("slow", &self.slow)
        try visitor.field("slowest", &self.slowest)
        try visitor.field("busy", &self.busy)
        try visitor.field("busiest", &self.busiest)
        try visitor.field("busiest_addresses", &self.busiestAddresses)
        try visitor.field("busiest_rooms", &self.busiestRooms)
        try visitor.field("publishes", &self.publishes)
        try visitor.field("deliveries", &self.deliveries)
        try visitor.field("published_bytes", &self.publishedBytes)
        try visitor.field("delivered_bytes", &self.deliveredBytes)
        try visitor.field("errors", &self.errors)
        try visitor.nullable("stored", &self.stored)
        try visitor.field("channels", &self.channels)
        try visitor.field("version", &self.version)
        try visitor.field("uptime_seconds", &self.uptimeSeconds)
        try visitor.field("cpu_seconds", &self.cpuSeconds)
        try visitor.nullable("resident_bytes", &self.residentBytes)
        try visitor.nullable("commit_p50_seconds", &self.commitP50Seconds)
        try visitor.nullable("commit_p99_seconds", &self.commitP99Seconds)
        try visitor.nullable("certificate_expires", &self.certificateExpires)
        try visitor.nullable("disk_free_bytes", &self.diskFreeBytes)
        try visitor.nullable("disk_bytes", &self.diskBytes)
        try visitor.field("warnings", &self.warnings)
        try visitor.field("nodes", &self.nodes)
    }
}

extension AdminStatistics.Channel: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("id", &self.id)
        try visitor.field("connections", &self.connections)
        try visitor.field("rooms", &self.rooms)
        try visitor.nullable("stored", &self.stored)
    }
}

extension AdminStatistics.Stored: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("time", &self.time)
        try visitor.field("rooms", &self.rooms)
        try visitor.field("messages", &self.messages)
        try visitor.field("bytes", &self.bytes)
        try visitor.field("bytes_are_estimated", &self.bytesAreEstimated)
        var fileBytes = self.fileBytes.map { Nullable.value($0) } ?? (self.time == nil ? .absent : .null)
        try visitor.change("file_bytes", &fileBytes)
        self.fileBytes = fileBytes.value
    }
}

extension AdminStatistics.Node: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("node", &self.node)
        try visitor.field("host", &self.host)
        try visitor.field("this", &self.this)
        try visitor.nullable("connections", &self.connections)
        try visitor.nullable("deliveries", &self.deliveries)
        try visitor.nullable("version", &self.version)
        try visitor.nullable("uptime_seconds", &self.uptimeSeconds)
        try visitor.nullable("cpu_seconds", &self.cpuSeconds)
        try visitor.nullable("resident_bytes", &self.residentBytes)
    }
}

extension AdminStatistics.SlowMember: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("channel", &self.channel)
        try visitor.field("room", &self.room)
        try visitor.field("id", &self.id)
        try visitor.raw("client_data", &self.clientDataBytes)
        try visitor.field("lag", &self.lag)
    }
}

extension AdminStatistics.BusyConnection: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("channel", &self.channel)
        try visitor.field("id", &self.id)
        try visitor.raw("client_data", &self.clientDataBytes)
        try visitor.nullable("address", &self.address)
        try visitor.field("loop_percent", &self.loopPercent)
    }
}

extension AdminStatistics.BusyAddress: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("address", &self.address)
        try visitor.field("connections", &self.connections)
        try visitor.field("loop_percent", &self.loopPercent)
    }
}

extension AdminStatistics.BusyRoom: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("channel", &self.channel)
        try visitor.field("room", &self.room)
        try visitor.field("loop_percent", &self.loopPercent)
    }
}
