/// Messages of a room that do not come by a feed, and why.
public struct RoomGap: Sendable, Hashable {
    /// Why messages are missing. Newer brokers may have newer reasons.
    public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word as it stands on the wire.
        public let rawValue: String

        /// Takes any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word.
        public var description: String { self.rawValue }

        /// Beyond the number of messages that the history keeps, or the memory of a room without history.
        public static let trimmed = Self(rawValue: "trimmed")
        /// Older than the history keeps.
        public static let expired = Self(rawValue: "expired")
        /// Skipped because this client read too slowly, in a room without history.
        public static let slow = Self(rawValue: "slow")
        /// Deleted.
        public static let cleared = Self(rawValue: "cleared")
        /// Not for this client.
        public static let denied = Self(rawValue: "denied")
        /// The room's log is another one now, so what was missed cannot be told.
        public static let epoch = Self(rawValue: "epoch")
    }

    /// The life of the room's log that ``seqs`` count in.
    public let epoch: String
    /// The missing messages; `nil` where it cannot be told which.
    public let seqs: ClosedRange<UInt64>?
    /// Why they are missing.
    public let reason: Reason

    init(epoch: String, seqs: ClosedRange<UInt64>?, reason: Reason) {
        self.epoch = epoch
        self.seqs = seqs
        self.reason = reason
    }
}
