import RoomJSON

/// What the streams of a cluster are to be, on which all nodes have to agree, and what this node's files have of them.
package struct StreamSettings: Equatable, Sendable {
    package var name: ClusterName = .standard
    /// Fixed when the cluster is made: a room's partition follows from it.
    package var partitions: Int = 16
    /// On how many servers each stream is.
    package var replicas: Int = 3
    /// What the node's files follow.
    package var followed = FollowedCluster.none
    /// The cluster's, once that is known.
    package var origin: ClusterOrigin?

    /// Names the logs in a node's files: in others their places mean nothing.
    var logName: String { Self.logName(self.name, id: self.origin?.id ?? "") }

    package static func logName(_ name: ClusterName, id: String) -> String { "\(name.text)/\(id)" }

    /// The parts of a `logName`.
    package static func parts(ofLog log: String) -> (name: String, id: String) {
        let parts = log.split(separator: "/", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count == 2 ? parts[1] : "")
    }

    /// That of changes of channels, then the partitions', then that of what stands in the place of their erased records.
    var streams: [StreamName] {
        [self.name.control] + (0..<self.partitions).map { self.name.partition($0) } + [self.name.redacted]
    }

    /// What JetStream is asked to make.
    func configuration(of stream: StreamName) -> JSONTree {
        .object([
            .init("name", .string(stream.stream)),
            .init("subjects", .array([.string(stream.subject)])),
            .init("retention", .string("limits")),
            .init("discard", .string("old")),
            .init("storage", .string("file")),
            .init("num_replicas", .integer(self.replicas)),
            .init("allow_direct", .bool(true)),
            .init("metadata", .object(self.metadata)),
        ])
    }

    private var metadata: [JSONTree.Field] {
        [.init("roomline.partitions", .string(String(self.partitions)))] + (self.origin?.metadata ?? [])
    }

    /// What is wrong with a stream that is there already; `nil`: nothing.
    func objection(to configuration: JSONTree, of stream: StreamName) -> ClusterFailure? {
        let partitions = configuration["metadata"]?["roomline.partitions"]
        let wanted: [(what: String, found: JSONTree?, needed: JSONTree)] = [
            ("origin", configuration["metadata"]?["roomline.origin"], self.origin.map { .string($0.id) } ?? .null),
            ("partitions of the cluster", partitions, .string(String(self.partitions))),
            ("replicas", configuration["num_replicas"], .integer(self.replicas)),
            ("subjects", configuration["subjects"], .array([.string(stream.subject)])),
            ("storage", configuration["storage"], .string("file")),
            ("retention", configuration["retention"], .string("limits")),
            ("direct access", configuration["allow_direct"], .bool(true)),
        ]
        guard let wrong = wanted.first(where: { $0.found != $0.needed }) else { return nil }
        let found = wrong.found.map(\.shown) ?? "not given"
        return ClusterFailure(
            .streamDiffers,
            "the stream \(stream.stream) has other settings than this node: \(wrong.what) \(found) instead of"
                + " \(wrong.needed.shown). Start all nodes with the same settings, or give this cluster another name"
        )
    }

    /// What is wrong with the cluster that the control stream is of, for a node with these files; `nil`: nothing.
    ///
    /// - Parameters:
    ///   - found: of the stream; `nil`: it is not there.
    ///   - last: its last place.
    func objection(toCluster found: ClusterOrigin?, endingAt last: UInt64 = .max) -> ClusterFailure? {
        let name = self.name.text
        switch (self.followed, found) {
        case (.none, .none), (.begins, .none): return nil
        case (.none, let found?):
            guard found.hasData else { return nil }
            return ClusterFailure(
                .originDiffers,
                "the cluster \(name) began with the data of a broker, and this node has not got it: restore the backup of another"
                    + " node into its data directory"
            )
        case (.follows(let id, let place), let found?) where found.id == id && last < place:
            return ClusterFailure(
                .streamsGone,
                "the control stream of the cluster \(name) ends with record \(last), and this node has followed it to \(place): it was put"
                    + " back to an older state, or has lost some of it." + Self.advice(self.followed)
            )
        case (.begins(let id), let found?), (.follows(let id, _), let found?):
            guard found.id != id else { return nil }
            return ClusterFailure(
                .originDiffers,
                "the streams of the cluster \(name) are not those that this node's files go with."
                    + Self.advice(self.followed)
            )
        case (.follows, .none):
            return ClusterFailure(
                .streamsGone,
                "the streams of the cluster \(name), which this node has followed, are gone."
                    + Self.advice(self.followed)
            )
        }
    }

    private static func advice(_ followed: FollowedCluster) -> String {
        if case .begins = followed {
            return
                " A cluster begins with new streams: delete those that are there if nobody needs them, or give it another name"
        }
        return
            " If the other nodes run, restore the backup of one of them here. If the log is lost, begin a new one with what the"
            + " best node has: roomline cluster begin --lost-log"
    }
}
