import NIOCore
import RoomJSON
import RoomModel
import RoomWire

/// A member of a room, or the sender of a message: a client id and the data of that client.
public struct Member: Sendable, Hashable, Identifiable {
    /// The `client_id` that the broker gave the client. It changes when the client reconnects without resuming its session.
    public let id: String
    /// The member data that the client has sent in its handshake or its last update; `nil` if there is none.
    public let clientData: JSON?
    /// The `data` of the client's access token, which the client itself cannot change; `nil` if there is none.
    public let authData: JSON?

    /// The name and the colour in ``clientData``; `nil` if it has no name.
    public var profile: MemberProfile? {
        // Member data can be any JSON, so a missing profile is not an error.
        try? self.clientData?.decode(as: MemberProfile.self)
    }

    /// The user that the client's access token names: ``authData`` if that is a string or a number, otherwise the `id`, `user_id`
    /// or `sub` in it; `nil` if there is none. It stays the same on all connections of the user. Bans and mutes can use it, see
    /// ``ModerationSubject/user(_:)``.
    public var user: String? { self.authData.flatMap { UserName.of($0) } }
}

/// The sender of a message.
public enum MessageSender: Sendable, Hashable {
    /// A client.
    case member(Member)
    /// The broker itself (`kind` is `broker`), an HTTP request (`rest`) or an administrator (`admin`).
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
    /// Copies the bytes: a slice would keep the whole read buffer in memory.
    init(copying slice: ByteBuffer) {
        var copy = ByteBuffer()
        copy.writeImmutableBuffer(slice)
        self.init(unchecked: copy)
    }
}

/// Reads the user from the `data` of a token, by the same rule as the broker.
enum UserName {
    static func of(_ data: JSON) -> String? {
        if let name = Self.text(data.buffer) { return Self.checked(name) }
        let places = [
            JSONFields.range(of: "id", in: data.buffer), JSONFields.range(of: "user_id", in: data.buffer),
            JSONFields.range(of: "sub", in: data.buffer),
        ]
        let names = places.lazy.compactMap { place in
            place.flatMap { data.buffer.getSlice(at: data.buffer.readerIndex + $0.lowerBound, length: $0.count) }
                .flatMap(Self.text)
        }
        return names.first.flatMap(Self.checked)
    }

    /// The text of a string, and a number as it is written.
    private static func text(_ json: ByteBuffer) -> String? {
        let value = JSON(unchecked: json)
        if let string = value.string { return string }
        let first = json.readableBytesView.first ?? 0
        let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return isNumber ? String(buffer: json) : nil
    }

    private static func checked(_ name: String) -> String? {
        name.isEmpty || name.utf8.count > SanctionSubject.longestUser ? nil : name
    }
}
