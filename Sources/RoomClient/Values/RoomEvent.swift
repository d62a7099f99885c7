/// An event in a room. Events come in the order of the room.
public enum RoomEvent<Body: Sendable>: Sendable {
    /// A member, perhaps this client, has published a message.
    case message(RoomMessage<Body>)
    /// A member, perhaps this client, is typing or has read something. The message names the member; it is not stored.
    case signal(MemberSignal, RoomMessage<Body>)
    /// The present members, this client included. It comes after joining, after a reconnection, and after the reader was too slow
    /// for the presence events. It is empty in a room with more than 1,000 members.
    case members([Member])
    /// Another member has joined.
    case joined(Member)
    /// Another member has left.
    case left(Member)
    /// A member, perhaps this client, has new member data.
    case updated(Member)
    /// Messages are missing in this feed. After ``RoomGap/Reason/epoch``, the history may have the messages of the new log.
    case gap(RoomGap)
    /// A moderator has redacted a message: do not show it any more. It may be a message from before this client joined.
    case redacted(RoomRedaction)
    /// A moderator has deleted all messages. The room continues from this position; forget all earlier messages.
    case cleared(RoomPosition, by: MessageSender)
    /// A moderator addresses all members, or has changed the rules of the room. A notice is not stored.
    case notice(ModeratorNotice)
    /// This client is muted in the room, or with `nil` not any more. The event comes when the mute begins or changes, when it ends,
    /// and after each join while it lasts.
    case muteChanged(Mute?)
}

extension RoomEvent {
    /// The position after the event: of a stored message, a redaction, or a room that was cleared. `nil` for all others.
    public var position: RoomPosition? {
        switch self {
        case .message(let message): message.position
        case .redacted(let redaction): redaction.position
        case .cleared(let position, _): position
        case .signal, .members, .joined, .left, .updated, .gap, .notice, .muteChanged: nil
        }
    }
}

/// An event that concerns the whole channel and not one room.
public enum ClientEvent: Sendable, Hashable {
    /// An administrator addresses all members of the channel.
    case notice(ModeratorNotice)
    /// This client is muted in all rooms, or with `nil` not any more. The event comes when the mute begins or changes, when it ends,
    /// and after each new connection while it lasts.
    case muteChanged(Mute?)
}
