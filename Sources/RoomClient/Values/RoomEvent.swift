/// What happens in a room, in the room's order.
public enum RoomEvent<Body: Sendable>: Sendable {
    /// Somebody, perhaps oneself, said something.
    case message(RoomMessage<Body>)
    /// Who is here, oneself included: after joining, after coming back, and after this client has fallen behind. Of a very
    /// large room the broker tells no list.
    case members([Member])
    /// Somebody else came.
    case joined(Member)
    /// Somebody else went.
    case left(Member)
    /// Somebody, perhaps oneself, has new member data.
    case updated(Member)
    /// Messages that this feed does not have. Those of another log (``RoomGap/Reason/epoch``) are perhaps in the history.
    case gap(RoomGap)
    /// A moderator has taken a message away: show it no more. It may be one that came before this client joined.
    case redacted(RoomRedaction)
    /// A moderator has deleted all messages: the room begins anew, at this position. Nothing that came before counts.
    case cleared(RoomPosition, by: MessageSender)
    /// Somebody who may moderate says something to all, or how the room's rules have changed. It is not stored.
    case notice(ModeratorNotice)
    /// This client cannot publish in the room: told when it begins, and after each join while it lasts.
    case muted(Mute)
    /// This client can publish again.
    case unmuted
}
