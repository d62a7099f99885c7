package import RoomWire

/// A cluster as one of its nodes sees it: `Cluster` in `Schemas/admin.openapi.yaml`.
public struct AdminCluster: Equatable, Sendable {
    /// A node: `ClusterNode`.
    public struct Node: Equatable, Sendable {
        /// The state of a node. Newer brokers may have others.
        public struct State: RawRepresentable, Hashable, Sendable {
            /// The word in the API.
            public let rawValue: String

            /// Creates a state from any word.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// The node serves clients.
            public static let ready = Self(rawValue: "ready")
            /// Not all of its partitions can be served.
            public static let notReady = Self(rawValue: "not_ready")
            /// The node was not heard for longer than a heartbeat may take.
            public static let silent = Self(rawValue: "silent")
        }

        /// One of the partitions into which the rooms are divided.
        public struct Partition: Equatable, Sendable {
            /// Its number.
            public package(set) var partition = 0
            /// A word: `ready`, `catching_up`, `disconnected`, `failing`, `failed` or `closed`.
            public package(set) var state = ""
            /// Records that the node has not applied; `nil`: the stream has no leader to tell.
            public package(set) var behind: Int?
        }

        /// Its number. A node that starts again has another one.
        public package(set) var node = 0
        /// The name of its machine.
        public package(set) var host = ""
        /// The version that it runs.
        public package(set) var version = ""
        /// Whether it is the node that answers.
        public package(set) var this = false
        /// Whether it serves clients.
        public package(set) var state = State(rawValue: "")
        /// The time since it was heard.
        public package(set) var silentSeconds = 0.0
        /// Changes of administrators that are not in effect there.
        public package(set) var changesBehind = 0
        /// How many clients are connected to it; `nil`: it does not answer.
        public package(set) var connections: Int?
        /// The partitions in their order; `nil`: it does not answer.
        public package(set) var partitions: [Partition]?
    }

    /// A stream: `ClusterStream`.
    public struct Stream: Equatable, Sendable {
        /// A server that has the stream.
        public struct Server: Equatable, Sendable {
            /// Its name.
            public package(set) var name = ""
            /// Whether it can be reached and has all that the leader has.
            public package(set) var current = false
        }

        /// Its name.
        public package(set) var name = ""
        /// The partition; `nil`: it has the changes of administrators.
        public package(set) var partition: Int?
        /// Whether messages can be stored in it.
        public package(set) var available = false
        /// The server that leads it; `nil` where it is not available, or there is one server only.
        public package(set) var leader: String?
        /// The servers that have it, the leader first.
        public package(set) var servers: [Server] = []
    }

    /// Its name.
    public package(set) var name = ""
    /// On how many servers each stream is to be.
    public package(set) var replicas = 0
    /// A word: `always` where the nats-servers sync what they acknowledge to their disks first, `not_always`, or `unknown`.
    public package(set) var syncs = ""
    /// The server that does not sync always, or could not be asked; `nil`: there is none.
    public package(set) var syncsReason: String?
    /// The nodes, by their numbers.
    public package(set) var nodes: [Node] = []
    /// The stream of administrators' changes, then the partitions in their order.
    public package(set) var streams: [Stream] = []
}

extension AdminCluster: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.field("replicas", &self.replicas)
        try visitor.field("syncs", &self.syncs)
        try visitor.nullable("syncs_reason", &self.syncsReason)
        try visitor.field("nodes", &self.nodes)
        try visitor.field("streams", &self.streams)
    }
}

extension AdminCluster.Node: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        var silence = Seconds(self.silentSeconds)
        try visitor.field("node", &self.node)
        try visitor.field("host", &self.host)
        try visitor.field("version", &self.version)
        try visitor.field("this", &self.this)
        try visitor.field("state", &self.state)
        try visitor.field("silent_seconds", &silence)
        try visitor.field("changes_behind", &self.changesBehind)
        try visitor.nullable("connections", &self.connections)
        try visitor.nullable("partitions", &self.partitions)
        self.silentSeconds = silence.value
    }
}

extension AdminCluster.Node.State: TextValue {}

extension AdminCluster.Node.Partition: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("partition", &self.partition)
        try visitor.field("state", &self.state)
        try visitor.nullable("behind", &self.behind)
    }
}

extension AdminCluster.Stream: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.nullable("partition", &self.partition)
        try visitor.field("available", &self.available)
        try visitor.nullable("leader", &self.leader)
        try visitor.field("servers", &self.servers)
    }
}

extension AdminCluster.Stream.Server: AdminDocument {
    package init(placeholder: ()) {}

    package mutating func fields<Visitor: FieldVisitor & ~Copyable>(_ visitor: inout Visitor) throws(Visitor.Fault) {
        try visitor.field("name", &self.name)
        try visitor.field("current", &self.current)
    }
}
