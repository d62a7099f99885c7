package import RoomJSON

/// What the streams of a cluster are to be. All nodes have to agree on it.
package struct StreamSettings: Equatable, Sendable {
    package var name: ClusterName
    /// Fixed when the cluster is made: a room's partition follows from it.
    package var partitions: Int
    /// On how many servers each stream is.
    package var replicas: Int
    /// Names the data of a broker that ran alone, with which the cluster began; `nil`: it began empty.
    package var origin: String?

    package init(name: ClusterName = .standard, partitions: Int = 16, replicas: Int = 3, origin: String? = nil) {
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
        self.origin = origin
    }

    /// Names the logs in a node's files: in others their places mean nothing.
    package var logName: String { self.origin.map { "\(self.name.text)/\($0)" } ?? self.name.text }

    /// The cluster's name in a `logName`, and its origin.
    package static func parts(ofLog name: String) -> (name: String, origin: String?) {
        let parts = name.split(separator: "/", maxSplits: 1)
        return (parts.first.map(String.init) ?? "", parts.count == 2 ? String(parts[1]) : nil)
    }

    /// That of changes of channels, then the partitions'.
    package var streams: [StreamName] {
        [self.name.control] + (0..<self.partitions).map { self.name.partition($0) }
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
        let origin = self.origin.map { [JSONTree.Field("roomline.origin", .string($0))] } ?? []
        return [.init("roomline.partitions", .string(String(self.partitions)))] + origin
    }

    /// What is wrong with a stream that is there already; `nil`: nothing.
    package func objection(to configuration: JSONTree, of stream: StreamName) -> ClusterFailure? {
        let partitions = configuration["metadata"]?["roomline.partitions"]
        let wanted: [(what: String, found: JSONTree?, needed: JSONTree)] = [
            ("partitions of the cluster", partitions, .string(String(self.partitions))),
            ("replicas", configuration["num_replicas"], .integer(self.replicas)),
            ("subjects", configuration["subjects"], .array([.string(stream.subject)])),
            ("storage", configuration["storage"], .string("file")),
            ("retention", configuration["retention"], .string("limits")),
            ("direct access", configuration["allow_direct"], .bool(true)),
        ]
        if let objection = self.objection(toOrigin: configuration["metadata"]?["roomline.origin"], of: stream) {
            return objection
        }
        guard let wrong = wanted.first(where: { $0.found != $0.needed }) else { return nil }
        let found = wrong.found.map(\.shown) ?? "not given"
        return ClusterFailure(
            .streamDiffers,
            "the stream \(stream.stream) has other settings than this node: \(wrong.what) \(found) instead of"
                + " \(wrong.needed.shown). Start all nodes with the same settings, or give this cluster another name"
        )
    }

    private func objection(toOrigin found: JSONTree?, of stream: StreamName) -> ClusterFailure? {
        guard found != self.origin.map({ .string($0) }) else { return nil }
        guard found != nil else {
            return ClusterFailure(
                .originDiffers,
                "this node has data with which a cluster is to begin, but the stream \(stream.stream) is there already, of a cluster"
                    + " that began without it. Delete that cluster's streams if nobody needs them, or give the new one another name"
            )
        }
        return ClusterFailure(
            .originDiffers,
            "the cluster \(self.name.text) began with the data of a broker that ran alone, and this node has not got it: restore"
                + " the backup of another node into its data directory"
        )
    }
}
