import RoomJSON

/// What tells a cluster from all others that had its name. It is in the metadata of each stream, and in the files of each node.
package struct ClusterOrigin: Equatable, Sendable {
    /// Drawn when the streams were made.
    package var id: String
    /// The cluster began with the data of a broker that ran alone: what its partitions had before their first record is in the files of
    /// its nodes only.
    package var hasData: Bool

    init(id: String, hasData: Bool) {
        self.id = id
        self.hasData = hasData
    }

    /// A new one.
    package static func drawn(hasData: Bool) -> ClusterOrigin {
        ClusterOrigin(id: String(UInt64.random(in: .min ... .max), radix: 36), hasData: hasData)
    }

    /// `nil`: it is not given.
    init?(metadata: JSONTree?) {
        guard let id = metadata?["roomline.origin"]?.stringValue else { return nil }
        self.init(id: id, hasData: metadata?["roomline.begins"] == .string("data"))
    }

    var metadata: [JSONTree.Field] {
        [
            .init("roomline.origin", .string(self.id)),
            .init("roomline.begins", .string(self.hasData ? "data" : "empty")),
        ]
    }
}
