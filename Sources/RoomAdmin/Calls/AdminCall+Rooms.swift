import RoomDocuments
import RoomWire

extension AdminList where Element == AdminRoomSummary {
    /// The rooms of a channel that have members, by name.
    ///
    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - prefix: only those whose names begin with it; `nil`: all.
    public static func rooms(of channel: String, prefix: String? = nil) -> Self {
        Self(documents: "rooms", AdminRequest(.get, ["channels", channel, "rooms"], query: .given(("prefix", prefix))))
    }
}

extension AdminList where Element == AdminStoredRoom {
    /// The rooms of a channel that have stored messages, with or without members, by name.
    ///
    /// - Parameters:
    ///   - channel: the id of the channel.
    ///   - prefix: only those whose names begin with it; `nil`: all.
    public static func storedRooms(of channel: String, prefix: String? = nil) -> Self {
        let path = ["channels", channel, "stored-rooms"]
        return Self(documents: "rooms", AdminRequest(.get, path, query: .given(("prefix", prefix))))
    }
}

extension AdminList where Element == AdminMember {
    /// The members of a room.
    public static func members(of room: String, in channel: String) -> Self {
        Self(documents: "members", AdminRequest(.get, ["channels", channel, "rooms", room, "members"]))
    }
}

extension AdminCall where Answer == AdminRoom {
    /// A room that has members.
    public static func room(_ name: String, in channel: String) -> Self {
        Self(document: AdminRequest(.get, ["channels", channel, "rooms", name]))
    }
}

extension AdminCall where Answer == AdminMember {
    /// A member of a room.
    public static func member(_ id: String, of room: String, in channel: String) -> Self {
        Self(document: AdminRequest(.get, ["channels", channel, "rooms", room, "members", id]))
    }
}

extension AdminCall where Answer == AdminRules {
    /// The rules that moderators have set for a room.
    public static func rules(of room: String, in channel: String) -> Self {
        Self(document: AdminRequest(.get, ["channels", channel, "rooms", room, "rules"]))
    }

    /// Locks a room, so that only moderators can publish in it.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - reason: what its members see; it is also in the audit log.
    public static func lock(_ room: String, in channel: String, reason: String? = nil) -> Self {
        let lockReason = reason.map { Nullable.value($0) } ?? .null
        return .change(of: room, in: channel, AdminRulesPatch(isLocked: .value(true), lockReason: lockReason))
    }

    /// Unlocks a room.
    public static func unlock(_ room: String, in channel: String) -> Self {
        .change(of: room, in: channel, AdminRulesPatch(isLocked: .value(false)))
    }

    /// Sets how long a member of a room has to wait between two messages.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - seconds: from 1 to a day; `nil`: no slow mode.
    public static func slowMode(of room: String, in channel: String, seconds: Int?) -> Self {
        .change(of: room, in: channel, AdminRulesPatch(slowMode: seconds.map { .value($0) } ?? .null))
    }

    /// Limits the number of members of a room. Those who are there stay.
    ///
    /// - Parameters:
    ///   - room: the name of the room.
    ///   - channel: the id of the channel.
    ///   - limit: `nil`: that of the channel.
    public static func memberLimit(of room: String, in channel: String, _ limit: Int?) -> Self {
        .change(of: room, in: channel, AdminRulesPatch(memberLimit: limit.map { .value($0) } ?? .null))
    }

    private static func change(of room: String, in channel: String, _ patch: AdminRulesPatch) -> Self {
        Self(document: AdminRequest(.patch, ["channels", channel, "rooms", room, "rules"], body: patch))
    }
}

extension AdminCall where Answer == Void {
    /// Removes a member from a room, or ends its session. It can come back; a ban prevents that.
    ///
    /// - Parameters:
    ///   - id: the client id.
    ///   - room: `nil`: the whole channel.
    ///   - channel: the id of the channel.
    ///   - reason: what the member sees; it is also in the audit log.
    public static func removeMember(
        _ id: String,
        from room: String? = nil,
        in channel: String,
        reason: String? = nil
    ) -> Self {
        let path = ["channels", channel] + (room.map { ["rooms", $0] } ?? []) + ["members", id]
        return Self(AdminRequest(.delete, path, query: .given(("reason", reason))))
    }
}

extension [(name: String, value: String)] {
    /// The parameters that have a value.
    static func given(_ parameters: (name: String, value: String?)...) -> Self {
        parameters.compactMap { name, value in value.map { (name, $0) } }
    }
}
