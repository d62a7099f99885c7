package import RoomJSON

/// What the streams of a cluster are to be. All nodes have to agree on it.
package struct StreamSettings: Equatable, Sendable {
    package var name: ClusterName
    /// Fixed when the cluster is made: a room's partition follows from it.
    package var partitions: Int
    /// On how many servers each stream is.
    package var replicas: Int

    package init(name: ClusterName = .standard, partitions: Int = 16, replicas: Int = 3) {
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
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
            .init("metadata", .object([.init("roomline.partitions", .string(String(self.partitions)))])),
        ])
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
        guard let wrong = wanted.first(where: { $0.found != $0.needed }) else { return nil }
        let found = wrong.found.map(\.shown) ?? "not given"
        return ClusterFailure(
            .streamDiffers,
            "the stream \(stream.stream) has other settings than this node: \(wrong.what) \(found) instead of"
                + " \(wrong.needed.shown). Start all nodes with the same settings, or give this cluster another name"
        )
    }
}
