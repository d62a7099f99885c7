/// The nodes of a cluster, and the streams that they follow.
package struct ClusterReport: Equatable, Sendable {
    package struct Node: Equatable, Sendable {
        package enum State: String, Sendable {
            case ready
            /// Not all of its partitions can be served.
            case notReady = "not_ready"
            /// It was not heard for longer than a heartbeat may take.
            case silent
        }

        package var number: NodeNumber
        /// Of its machine.
        package var host: String
        package var version: String
        /// The one that reports.
        package var isThis: Bool
        package var state: State
        /// Since it was heard.
        package var silence: Duration
        /// How many changes of administrators are not in effect there.
        package var changesBehind: UInt64
        /// What it says of itself; `nil`: it does not answer.
        package var figures: NodeFigures?

        package init(
            number: NodeNumber,
            host: String,
            version: String,
            isThis: Bool,
            state: State,
            silence: Duration,
            changesBehind: UInt64,
            figures: NodeFigures?
        ) {
            self.number = number
            self.host = host
            self.version = version
            self.isThis = isThis
            self.state = state
            self.silence = silence
            self.changesBehind = changesBehind
            self.figures = figures
        }
    }

    package struct Stream: Equatable, Sendable {
        package struct Server: Equatable, Sendable {
            package var name: String
            /// It has all that the leader has.
            package var isCurrent: Bool

            package init(name: String, isCurrent: Bool) {
                self.name = name
                self.isCurrent = isCurrent
            }
        }

        package var name: String
        /// `nil`: that of administrators' changes.
        package var partition: Int?
        /// Its place of the newest record; `nil`: no leader answers, so nothing can be stored in it.
        package var newest: UInt64?
        /// `nil` where one server alone has the streams, too.
        package var leader: String?
        /// That have it, the leader first.
        package var servers: [Server]

        package init(name: String, partition: Int?, newest: UInt64?, leader: String?, servers: [Server]) {
            self.name = name
            self.partition = partition
            self.newest = newest
            self.leader = leader
            self.servers = servers
        }
    }

    package var name: String
    /// On how many servers each stream is to be.
    package var replicas: Int
    package var syncs: ServerSyncs
    /// By their numbers.
    package var nodes: [Node]
    /// That of administrators' changes, then the partitions in their order.
    package var streams: [Stream]

    package init(name: String, replicas: Int, syncs: ServerSyncs, nodes: [Node], streams: [Stream]) {
        self.name = name
        self.replicas = replicas
        self.syncs = syncs
        self.nodes = nodes
        self.streams = streams
    }
}
