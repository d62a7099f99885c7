import NIOCore
public import RoomClient

/// An event of a room, for a reader who is not a member: a frame that the members get, too, or a gap.
public struct AdminRoomEvent: Equatable, Sendable {
    /// What has happened: the type of the frame, as `docs/protocol.md` describes it. Newer brokers may send other words.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word in the API.
        public let rawValue: String

        /// Creates a kind from any word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The word in the API.
        public var description: String { self.rawValue }

        /// A message.
        public static let message = Self(rawValue: "publish")
        /// A moderator has removed the content of a message.
        public static let redaction = Self(rawValue: "message_redacted")
        /// A member has joined.
        public static let joined = Self(rawValue: "observable_member_join")
        /// A member has other data.
        public static let updated = Self(rawValue: "observable_member_update")
        /// A member has left.
        public static let left = Self(rawValue: "observable_member_leave")
        /// A moderator has sent a notice to the members; where there are none, it is not sent.
        public static let notice = Self(rawValue: "notice")
        /// Messages are missing here; ``AdminRoomEvent/json`` says which and why (`RoomGap` in `Schemas/admin.openapi.yaml`).
        public static let gap = Self(rawValue: "gap")
    }

    /// Its place in the log of the room, from which a reader can go on; `nil` for what is not in the log.
    public let place: String?
    /// What has happened.
    public let kind: Kind
    /// The number of the message in the log; `nil` for what has none.
    public let seq: UInt64?
    /// With ``Kind/message``: what was published, byte for byte.
    public let message: JSON?
    /// The client id of the member that it is about, or that has published.
    public let clientID: String?
    /// The whole frame, byte for byte.
    public let json: JSON

    /// `nil` where the data are no frame: such an event is not for this version.
    init?(_ event: EventLines.Event) {
        let data = ByteBuffer(string: event.data)
        guard let json = try? JSON(event.data), let fields = try? AdminResponse.decode(Fields.self, from: data),
            let word = event.type.isEmpty ? fields.type : event.type
        else { return nil }
        self.place = event.id
        self.kind = Kind(rawValue: word)
        self.seq = fields.seq
        self.message = .field("message", of: data)
        self.clientID = fields.clientId ?? (try? AdminResponse.decode(Presence.self, from: data))?.data.id
        self.json = json
    }

    private struct Fields: Decodable {
        let type: String?
        let seq: UInt64?
        let clientId: String?
    }

    private struct Presence: Decodable {
        struct Member: Decodable { let id: String }
        let data: Member
    }
}
