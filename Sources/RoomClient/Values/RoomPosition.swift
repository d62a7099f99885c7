import RoomModel

/// A place in a room's log: after message ``seq`` of ``epoch``. Keep it to go on there later, even in another process.
public struct RoomPosition: Codable, Sendable, Hashable {
    /// Names one life of the room's log: 16 hexadecimal digits.
    public let epoch: String
    /// The last message seen; 0: before the first.
    public let seq: UInt64

    /// Takes the two numbers of an earlier position. An epoch that the room never had is answered with a gap.
    public init(epoch: String, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }
}

extension RoomPosition {
    init(_ position: Position) {
        self.init(epoch: position.epoch?.description ?? "", seq: position.seq)
    }
}

extension Position {
    init(_ position: RoomPosition) {
        self.init(epoch: Epoch(position.epoch), seq: position.seq)
    }
}
