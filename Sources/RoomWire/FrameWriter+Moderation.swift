package import NIOCore
package import RoomModel

/// What moderators do, as their members are told (protocol §2, moderation).
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

    /// The fields of a `removed`.
    package mutating func removed(from room: RoomName, _ code: Code, reason: String) {
        self.field("type", "removed")
        self.field("room", room.text)
        self.field("reason", reason)
        self.field("code", code.rawValue)
    }
}

extension TextLineWriter {
    /// `* TEXT`
    package static func notice(_ notice: Notice, into buffer: inout ByteBuffer) {
        self.line("* \(notice.text)", into: &buffer)
    }
}
