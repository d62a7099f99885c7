/// What concerns a client in its whole channel, and no single room.
public enum ClientEvent: Sendable, Hashable {
    /// An administrator says something to everybody in the channel.
    case notice(ModeratorNotice)
    /// This client cannot publish in any room. A new connection is told again while it lasts, and one that is not told may
    /// publish.
    case muted(Mute)
    /// This client can publish again.
    case unmuted
}
