import RoomModel

/// A position in a room's log: after the entry ``seq`` of ``epoch``. Store it to continue there later, even in another process.
public struct RoomPosition: Codable, Sendable, Hashable {
    /// The epoch: 16 hexadecimal digits that identify the log. The room gets another log when its messages are deleted.
    public let epoch: String
    /// The place of the last entry before the position; 0: the position is before the first entry.
    public let seq: UInt64

    /// Creates a position from the stored values of an earlier one. If the room does not have this epoch any more, joining with
    /// the position reports a gap.
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

/// A range of messages that a feed does not contain, and the reason.
public struct RoomGap: Sendable, Hashable {
    /// The reason why messages are missing. Newer brokers may send other reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the protocol.
        public let rawValue: String

        /// Creates a reason from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the protocol.
        public var description: String { self.rawValue }

        /// The history, or the memory of a room without history, does not keep so many messages.
        public static let trimmed = Self(rawValue: "trimmed")
        /// The messages are older than the history keeps them.
        public static let expired = Self(rawValue: "expired")
        /// The broker's file with the messages is damaged.
        public static let lost = Self(rawValue: "lost")
        /// This client or its reader was too slow, and the room has no history.
        public static let slow = Self(rawValue: "slow")
        /// A moderator has deleted all messages.
        public static let cleared = Self(rawValue: "cleared")
        /// The access token does not allow this client to read them.
        public static let denied = Self(rawValue: "denied")
        /// The room has another log now, so the missing messages are not known.
        public static let epoch = Self(rawValue: "epoch")
    }

    /// The epoch of the log that ``seqs`` belong to.
    public let epoch: String
    /// The places of the missing messages; `nil` if they are not known.
    public let seqs: ClosedRange<UInt64>?
    /// The reason why they are missing.
    public let reason: Reason
}
