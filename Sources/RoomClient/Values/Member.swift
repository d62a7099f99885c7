import NIOCore
import RoomWire

/// Who is in a room, or sent a message: a `client_id` and what that client says of itself.
public struct Member: Sendable, Hashable, Identifiable {
    /// The `client_id` that the broker gave it; another one after each connection that could not be resumed.
    public let id: String
    /// What the member said of itself when it connected or by its last update.
    public let clientData: JSON?
    /// What its access token says of it, which the member itself cannot change.
    public let authData: JSON?

    /// Name and colour, where ``clientData`` has them.
    public var profile: MemberProfile? {
        // Member data can be anything; that it is no profile is no error.
        try? self.clientData?.decode(as: MemberProfile.self)
    }

    /// Who it is beyond one connection, as its access token says: ``authData`` itself where that is a string or a number, else
    /// its `id`, `user_id` or `sub`. Bans and mutes go by it, see ``ModerationSubject/user(_:)``.
    public var user: String? { self.authData.flatMap { UserName.of($0) } }

    init(id: String, clientData: JSON?, authData: JSON?) {
        self.id = id
        self.clientData = clientData
        self.authData = authData
    }
}

/// Who caused a message.
public enum MessageSender: Sendable, Hashable {
    /// A client that is connected to the broker.
    case member(Member)
    /// Not a member: the broker itself (`kind` is `broker`), an HTTP request (`rest`) or an administrator (`admin`).
    case service(id: String, kind: String)
}

extension MessageSender {
    /// Reads `{"id":…,"clientData":…}` or `{"id":…,"kind":…}`; the values are copied out of the read buffer.
    init(_ json: ByteBuffer) {
        let sender = SenderObject(json)
        if let kind = sender.kind {
            self = .service(id: sender.id, kind: kind)
        } else {
            self = .member(Member(sender))
        }
    }
}

extension Member {
    init(_ json: ByteBuffer) {
        self.init(SenderObject(json))
    }

    fileprivate init(_ object: SenderObject) {
        self.init(
            id: object.id,
            clientData: object.clientData.map { JSON(copying: $0) },
            authData: object.authData.map { JSON(copying: $0) }
        )
    }
}

extension JSON {
    /// A copy in memory of its own size: a slice would keep the whole read buffer alive.
    init(copying slice: ByteBuffer) {
        var copy = ByteBuffer()
        copy.writeImmutableBuffer(slice)
        self.init(unchecked: copy)
    }
}
