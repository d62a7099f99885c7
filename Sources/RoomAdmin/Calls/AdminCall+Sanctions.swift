import RoomJSON

/// The subject of a ban or a mute.
public enum AdminSubject: Equatable, Sendable {
    /// The user that the member's token names, on every connection.
    case user(String)
    /// One client id. Each new session has another one.
    case client(String)
    /// An address such as `192.0.2.7`, or a network such as `192.0.2.0/24`.
    case address(String)

    /// As the admin API takes it in a body.
    var named: SubjectFields {
        var named = SubjectFields()
        switch self {
        case .user(let user): named.user = user
        case .client(let id): named.clientID = id
        case .address(let range): named.address = range
        }
        return named
    }

    /// As the admin API takes it in a query.
    package var field: (name: String, value: String) {
        switch self {
        case .user(let user): ("user", user)
        case .client(let id): ("client_id", id)
        case .address(let range): ("address", range)
        }
    }

    /// Compares bytes, as the broker does: two spellings of one accent are two users.
    public static func == (left: AdminSubject, right: AdminSubject) -> Bool {
        left.field.name == right.field.name && left.field.value.utf8.elementsEqual(right.field.value.utf8)
    }
}

extension AdminList where Element == AdminSanction {
    /// The bans and mutes of a channel and its rooms.
    ///
    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - kind: `nil`: both.
    ///   - room: only those of this room; an empty text: only those of the whole channel; `nil`: all.
    ///   - subject: only those of somebody; `nil`: all.
    public static func sanctions(
        of channel: String,
        kind: AdminSanction.Kind? = nil,
        room: String? = nil,
        subject: AdminSubject? = nil
    ) -> Self {
        var query: [(name: String, value: String)] = .given(("kind", kind?.rawValue), ("room", room))
        if let subject { query.append(subject.field) }
        return Self(documents: "sanctions", AdminRequest(.get, ["channels", channel, "sanctions"], query: query))
    }
}

extension AdminCall where Answer == AdminSanction {
    /// Bans or mutes somebody, now and on coming back. There is one of each kind for a subject and place; it is replaced.
    ///
    /// - Parameters:
    ///   - kind: what is forbidden.
    ///   - subject: whom it is for.
    ///   - channel: the id of the channel.
    ///   - room: `nil`: in the whole channel.
    ///   - duration: how long it holds, in whole seconds; `nil`: until it is lifted.
    ///   - reason: what the member sees; it is also in the audit log.
    ///   - isRedacting: redacts also what is stored of a user or a client, with a ban only. ``AdminSanction/redacted`` says what
    ///     the first request has redacted; pass it to ``AdminClient/redactMessages(of:in:room:reason:isDryRun:after:onStep:)``.
    public static func impose(
        _ kind: AdminSanction.Kind,
        on subject: AdminSubject,
        in channel: String,
        room: String? = nil,
        for duration: Duration? = nil,
        reason: String? = nil,
        isRedacting: Bool = false
    ) -> Self {
        var new = NewAdminSanction(kind, of: subject.named, isRedacting: isRedacting)
        (new.room, new.duration, new.reason) = (room, duration, reason)
        return Self(document: AdminRequest(.post, ["channels", channel, "sanctions"], body: new))
    }
}

extension AdminCall where Answer == Void {
    /// Lifts a ban or a mute.
    ///
    /// - Parameters:
    ///   - kind: what is forbidden.
    ///   - subject: whom it is for.
    ///   - channel: the id of the channel.
    ///   - room: where it holds; `nil`: in the whole channel.
    public static func lift(
        _ kind: AdminSanction.Kind,
        of subject: AdminSubject,
        in channel: String,
        room: String? = nil
    ) -> Self {
        let query: [(name: String, value: String)] = .given(("kind", kind.rawValue), ("room", room))
        return Self(AdminRequest(.delete, ["channels", channel, "sanctions"], query: query + [subject.field]))
    }
}
