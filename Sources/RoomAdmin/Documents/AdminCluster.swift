/// A cluster as one of its nodes sees it: `Cluster` in `Schemas/admin.openapi.yaml`.
public struct AdminCluster: AdminDocument, Decodable, Equatable, Sendable {
    /// A node: `ClusterNode`.
    public struct Node: Decodable, Equatable, Sendable {
        /// The state of a node. Newer brokers may have others.
        public struct State: RawRepresentable, Hashable, Sendable, Decodable {
            /// The word in the API.
            public let rawValue: String

            /// Creates a state from any word.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// It serves clients.
            public static let ready = Self(rawValue: "ready")
            /// Not all of its partitions can be served.
            public static let notReady = Self(rawValue: "not_ready")
            /// It was not heard for longer than a heartbeat may take.
            public static let silent = Self(rawValue: "silent")
        }

        /// One of the partitions into which the rooms are divided.
        public struct Partition: Decodable, Equatable, Sendable {
            /// Its number.
            public let partition: Int
            /// A word: `ready`, `catching_up`, `disconnected`, `failing`, `failed` or `closed`.
            public let state: String
            /// Records that the node has not applied; `nil`: the stream has no leader to tell.
            public let behind: Int?
        }

        /// Its number. A node that starts again has another one.
        public let node: Int
        /// The name of its machine.
        public let host: String
        /// The version that it runs.
        public let version: String
        /// Whether it is the node that answers.
        public let this: Bool
        /// Whether it serves clients.
        public let state: State
        /// The time since it was heard.
        public let silentSeconds: Double
        /// Changes of administrators that are not in effect there.
        public let changesBehind: Int
        /// How many clients are connected to it; `nil`: it does not answer.
        public let connections: Int?
        /// The partitions in their order; `nil`: it does not answer.
        public let partitions: [Partition]?
    }

    /// A stream: `ClusterStream`.
    public struct Stream: Decodable, Equatable, Sendable {
        /// A server that has the stream.
        public struct Server: Decodable, Equatable, Sendable {
            /// Its name.
            public let name: String
            /// Whether it can be reached and has all that the leader has.
            public let current: Bool
        }

        /// Its name.
        public let name: String
        /// The partition; `nil`: it has the changes of administrators.
        public let partition: Int?
        /// Whether messages can be stored in it.
        public let available: Bool
        /// The server that leads it; `nil` where it is not available, or there is one server only.
        public let leader: String?
        /// The servers that have it, the leader first.
        public let servers: [Server]
    }

    /// Its name.
    public let name: String
    /// On how many servers each stream is to be.
    public let replicas: Int
    /// A word: `always` where the nats-servers sync what they acknowledge to their disks first, `not_always`, or `unknown`.
    public let syncs: String
    /// Which server does not sync always, or could not be asked; `nil` where that is not so.
    public let syncsReason: String?
    /// The nodes, by their numbers.
    public let nodes: [Node]
    /// The stream of administrators' changes, then the partitions in their order.
    public let streams: [Stream]
}
