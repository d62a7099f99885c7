public import Foundation
import RoomModel
import RoomWire

/// The members that a ban or a mute applies to.
public enum ModerationSubject: Sendable, Hashable {
    /// All connections of one user. The access token names the user: its `data` if that is a string or a number, otherwise the
    /// `id`, `user_id` or `sub` in it. See ``Member/user``.
    case user(String)
    /// The client with this ``Member/id``. A client that connects without resuming its session gets another id.
    case client(String)
    /// All connections from an IP address, or from a network such as `10.0.0.0/8` (CIDR notation, RFC 4632).
    case address(String)

    /// Compares bytes, as the broker does: two spellings of one accent are two users.
    public static func == (left: ModerationSubject, right: ModerationSubject) -> Bool { left.bytes == right.bytes }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }

    private var bytes: [UInt8] {
        switch self {
        case .user(let user): [0] + user.utf8
        case .client(let id): [1] + id.utf8
        case .address(let address): [2] + address.utf8
        }
    }
}

extension ModerationSubject {
    init?(_ author: ShownAuthor) {
        guard let subject = author.user.map({ .user($0) }) ?? author.clientID.map({ Self.client($0) }) else {
            return nil
        }
        self = subject
    }

    func checked() throws(RoomClientError) -> SanctionSubject {
        switch self {
        case .user(let user): return .user(user)
        case .client(let id): return .client(ClientID(id))
        case .address(let text):
            guard let range = AddressRange(text) else {
                throw RoomClientError(
                    .invalidField,
                    "\"\(text)\" is not an IP address or a network such as 10.0.0.0/8 (without bits after the prefix)"
                )
            }
            return .address(range)
        }
    }
}

/// A notice of a moderator or an administrator to all members of a room or of the channel.
public struct ModeratorNotice: Sendable, Hashable {
    /// The change that the notice announces, for programs. Newer brokers may send other words.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the protocol.
        public let rawValue: String

        /// Creates a code from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the protocol.
        public var description: String { self.rawValue }

        /// The room is locked: only moderators can publish.
        public static let roomLocked = Self(rawValue: Notice.Kind.locked.code)
        /// The room is not locked any more.
        public static let roomUnlocked = Self(rawValue: Notice.Kind.unlocked.code)
        /// Slow mode has changed: each member has to wait ``ModeratorNotice/interval`` between two messages.
        public static let slowMode = Self(rawValue: Notice.Kind.slowMode(seconds: 0).code)
    }

    /// The text, for people.
    public let text: String
    /// The change that the notice announces; `nil` if it only has a text.
    public let code: Code?
    /// The interval of ``Code/slowMode``, in whole seconds; zero: slow mode is off.
    public let interval: Duration?
    /// The moderator or the administrator.
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

/// A mute of this client: it can read and cannot publish.
public struct Mute: Sendable, Hashable {
    /// The reason, for people.
    public let reason: String?
    /// The time at which the mute ends; `nil`: it lasts until a moderator lifts it.
    public let until: Date?
}

extension Mute {
    /// - Returns: `nil` where the event says that the mute is over.
    init?(_ event: MuteEvent) {
        guard event.isMuted else { return nil }
        self.init(reason: event.reason, until: event.until.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
}

/// The redaction of a message.
public struct RoomRedaction: Sendable, Hashable, Identifiable {
    /// The id that the broker gave the redaction.
    public let id: UUID
    /// The position after the redaction, which has its own place in the room's log.
    public let position: RoomPosition
    /// The ``RoomMessage/id`` of the redacted message.
    public let messageID: UUID
    /// The ``RoomMessage/seq`` of the redacted message.
    public let messageSeq: UInt64
    /// The reason, for people.
    public let reason: String?
    /// The moderator or the administrator who redacted the message.
    public let sender: MessageSender

    /// The time of the redaction, by the broker's clock.
    public let time: Date
}

extension RoomRedaction {
    init(_ event: RedactionEvent, epoch: Epoch?) {
        self.init(
            id: UUID(event.id),
            position: RoomPosition(Position(epoch: epoch, seq: event.seq)),
            messageID: UUID(event.targetID),
            messageSeq: event.targetSeq,
            reason: event.reason,
            sender: MessageSender(event.sender),
            time: Date(event.id)
        )
    }
}

/// The rules and sanctions that moderators have set in a room.
public struct RoomModerationState: Sendable, Hashable {
    /// A ban or a mute in the room.
    public struct Sanction: Sendable, Hashable {
        /// The act that is forbidden.
        public enum Kind: String, Sendable {
            /// To be in the room.
            case ban
            /// To publish.
            case mute
        }

        /// The act that is forbidden.
        public let kind: Kind
        /// The members that it applies to.
        public let subject: ModerationSubject
        /// The reason, for people.
        public let reason: String?
        /// The moderator or administrator who gave it, as the audit log names them.
        public let author: String
        /// The time at which it began.
        public let created: Date
        /// The time at which it ends; `nil`: it lasts until a moderator lifts it.
        public let until: Date?
    }

    /// Only moderators can publish.
    public let isLocked: Bool
    /// The reason of the lock, for people.
    public let lockReason: String?
    /// The time between two messages of a member; `nil`: none.
    public let slowMode: Duration?
    /// The maximum number of members; `nil`: the limit of the channel.
    public let memberLimit: Int?
    /// The newest bans and mutes of this room, 200 at most. Those of the whole channel are left out.
    public let sanctions: [Sanction]
    /// The number of all bans and mutes of this room.
    public let sanctionCount: Int
}

extension RoomModerationState {
    init(_ reply: ModerationStateReply) {
        self.init(
            isLocked: reply.rules.isLocked,
            lockReason: reply.rules.lockReason,
            slowMode: reply.rules.slowMode.map { .seconds($0) },
            memberLimit: reply.rules.memberLimit,
            sanctions: reply.sanctions.compactMap { Sanction($0) },
            sanctionCount: reply.total
        )
    }
}

extension RoomModerationState.Sanction {
    /// `nil` for what only a newer broker knows.
    fileprivate init?(_ sanction: ShownSanction) {
        let subject: ModerationSubject? =
            sanction.user.map { .user($0) } ?? sanction.clientID.map { .client($0) }
            ?? sanction.address.map { .address($0) }
        guard let kind = Kind(rawValue: sanction.kind), let subject else { return nil }
        self.init(
            kind: kind,
            subject: subject,
            reason: sanction.reason,
            author: sanction.author,
            created: Date(timeIntervalSince1970: TimeInterval(sanction.created)),
            until: sanction.until.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        )
    }
}
