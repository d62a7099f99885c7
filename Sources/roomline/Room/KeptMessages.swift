import RoomWire

/// How much a room has kept, without reading it: what is in its log has no holes.
struct KeptMessages: Equatable, Sendable {
    /// The room's name, for people and in JSON.
    let room: String
    /// `nil` where nothing is kept.
    let seqs: ClosedRange<UInt64>?

    var count: UInt64 { self.seqs.map { $0.upperBound - $0.lowerBound + 1 } ?? 0 }

    /// `41 messages (2 to 42)`
    var words: String {
        guard let seqs else { return "no message" }
        return seqs.count == 1
            ? "1 message (\(seqs.lowerBound))" : "\(self.count) messages (\(seqs.lowerBound) to \(seqs.upperBound))"
    }

    var tree: JSONTree {
        .object([
            .init("room", .string(self.room)), .init("messages", .integer(self.count)),
            .init("first_seq", .optional(self.seqs) { .integer($0.lowerBound) }),
            .init("last_seq", .optional(self.seqs) { .integer($0.upperBound) }),
        ])
    }
}
