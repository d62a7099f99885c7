import NIOCore
package import RoomJSON
package import RoomModel

extension FrameWriter {
    /// The fields of an error (protocol §2, errors).
    package mutating func error(_ error: RequestError) {
        if let callback = error.callback { self.field("callback", callback) }
        self.field("error", error.text)
        self.field("code", error.code.rawValue)
        if let room = error.room { self.field("room", room.text) }
        if let id = error.messageID { self.field("message_id", id) }
        if let wait = error.retryAfterMilliseconds { self.field("retry_after_ms", wait) }
    }

    /// The fields of a `goodbye`.
    package mutating func goodbye(_ code: Code, reason: String, retryAfterMilliseconds: Int?) {
        self.field("type", "goodbye")
        self.field("code", code.rawValue)
        self.field("reason", reason)
        self.field("reconnect", code.reconnects)
        if let wait = retryAfterMilliseconds { self.field("retry_after_ms", wait) }
    }

    /// The fields of a presence event.
    package mutating func presence(type: String, room: RoomName, member: Sender) {
        self.field("type", type)
        self.field("room", room.text)
        self.field("data", json: member.json)
    }

    /// The fields of an `observable_members`; more members than are listed make it a count.
    package mutating func members(room: RoomName, _ members: MemberSnapshot) {
        self.field("type", "observable_members")
        self.field("room", room.text)
        self.memberList("data", members)
    }

    package mutating func memberList(_ key: StaticString, _ members: MemberSnapshot) {
        self.field(key, json: members.list)
        self.field("count", members.count)
        if members.listed < members.count { self.field("truncated", true) }
    }

    /// The fields of a `gap`; an empty one (`from` above `through`) says that the log is another one.
    package mutating func gap(room: RoomName, epoch: Epoch, from: UInt64, through: UInt64, reason: String) {
        self.field("type", "gap")
        self.field("room", room.text)
        self.field("epoch", epoch.description)
        self.field("from_seq", from)
        self.field("to_seq", through)
        self.field("reason", reason)
    }

    /// The field with which the answer to a query names messages that are damaged.
    package mutating func lostMessages(_ lost: ClosedRange<UInt64>) {
        var gap = ByteBuffer()
        gap.writeString("{\"from_seq\":\(lost.lowerBound),\"to_seq\":\(lost.upperBound),\"reason\":\"lost\"}")
        self.field("gap", json: gap)
    }
}

/// The frames about moderation (protocol §2, moderation).
extension FrameWriter {
    /// The fields of a `notice`; without a room it is for the whole channel.
    package mutating func notice(_ notice: Notice, room: RoomName?) {
        self.field("type", "notice")
        if let room { self.field("room", room.text) }
        self.field("text", notice.text)
        switch notice.kind {
        case .none: break
        case .locked: self.field("code", "room_locked")
        case .unlocked: self.field("code", "room_unlocked")
        case .slowMode(let seconds):
            self.field("code", "slow_mode")
            self.field("seconds", seconds)
        }
    }

    /// The fields of a `muted`.
    package mutating func muted(_ mute: (room: RoomName?, reason: String?, untilMilliseconds: Int64?)) {
        self.field("type", "muted")
        if let room = mute.room { self.field("room", room.text) }
        if let reason = mute.reason { self.field("reason", reason) }
        // the second in which it ends has to be over
        if let end = mute.untilMilliseconds { self.field("until", (end + 999) / 1_000) }
    }

    /// The fields of an `unmuted`.
    package mutating func unmuted(room: RoomName?) {
        self.field("type", "unmuted")
        if let room { self.field("room", room.text) }
    }

    /// The fields of the answer to a moderator who asks what is set in a room.
    package mutating func moderation(of rules: RoomRules, _ sanctions: [Sanction], total: Int) {
        self.field("rules", json: ByteBuffer(string: rules.tree.text))
        self.field("sanctions", array: sanctions) { $1.writeString($0.tree.text) }
        self.field("total", total)
    }

    /// The fields of a `removed`.
    package mutating func removed(from room: RoomName, _ code: Code, reason: String) {
        self.field("type", "removed")
        self.field("room", room.text)
        self.field("reason", reason)
        self.field("code", code.rawValue)
    }

    /// The fields of a `room_cleared`: the room goes on at 0 of this epoch.
    package mutating func roomCleared(_ room: RoomName, epoch: Epoch) {
        self.field("type", "room_cleared")
        self.field("room", room.text)
        self.field("epoch", epoch.description)
        self.field("seq", 0)
    }
}

extension RoomRules {
    /// As `Rules` in `Schemas/admin.openapi.yaml` has it, and the answer to a moderator.
    package var tree: JSONTree {
        var fields = [JSONTree.Field("locked", .bool(self.isLocked))] + .present("lock_reason", self.lockReason)
        if let seconds = self.slowMode { fields.append(.init("slow_mode_seconds", .integer(seconds))) }
        if let count = self.memberLimit { fields.append(.init("member_limit", .integer(count))) }
        return .object(fields)
    }
}

extension Sanction {
    fileprivate var tree: JSONTree {
        let subject = self.key.subject
        let end = self.expires.map { [JSONTree.Field("until", .integer(($0 + 999) / 1_000))] } ?? []
        return .object(
            [.init("kind", .string(self.key.kind.rawValue)), .init(subject.field, .string(subject.text))]
                + .present("reason", self.reason)
                + [.init("author", .string(self.author)), .init("created", .integer(self.created / 1_000))] + end
        )
    }
}
