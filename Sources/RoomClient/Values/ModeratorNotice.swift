import RoomWire

/// What a moderator or an administrator says to everybody in a room or in the channel.
public struct ModeratorNotice: Sendable, Hashable {
    /// What has changed, for programs. Newer brokers may have newer words.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word as it stands on the wire.
        public let rawValue: String

        /// Takes any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word.
        public var description: String { self.rawValue }

        /// Only moderators publish in the room for now.
        public static let roomLocked = Self(rawValue: "room_locked")
        /// Everybody may publish again.
        public static let roomUnlocked = Self(rawValue: "room_unlocked")
        /// Between two messages a member has to wait for ``ModeratorNotice/interval``.
        public static let slowMode = Self(rawValue: "slow_mode")
    }

    /// For people.
    public let text: String
    /// `nil` where somebody just had something to say.
    public let code: Code?
    /// Of ``Code/slowMode``; zero: it is over.
    public let interval: Duration?
    /// Who says it.
    public let sender: MessageSender
}

extension ModeratorNotice {
    init(_ event: NoticeEvent) {
        self.init(
            text: event.text,
            code: event.code.map { Code(rawValue: $0) },
            interval: event.seconds.map { .seconds($0) },
            sender: MessageSender(event.sender)
        )
    }
}
