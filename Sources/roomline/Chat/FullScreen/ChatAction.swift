import Foundation
import RoomClient

/// When something happens: what clocks show, and what durations are measured by.
struct ChatTime: Sendable {
    let date: Date
    let instant: ContinuousClock.Instant

    static var now: ChatTime { ChatTime(date: Date(), instant: .now) }
}

/// Work that the shell of the full screen has to do for its state.
enum ChatAction: Equatable, Sendable {
    case publish(String, room: String, ticket: Int)
    case tellTyping(room: String)
    case join(String)
    case leave(String)
    case loadOlder(room: String, upTo: RoomPosition, count: Int)
    case change(MemberProfile)
    case moderate(ModeratorInput)
    /// Tries to connect now.
    case reconnect
    /// The bell of the terminal.
    case ring
    case repaint
    case suspend
    case end
}

/// An event in a room, as far as the full screen shows it.
enum RoomNews: Sendable {
    case message(ChatEntry.Message, Date)
    case members([ChatMember], count: Int)
    case joined(ChatMember)
    case left(ChatMember)
    case updated(ChatMember)
    case typing(ChatMember, Bool)
    case redacted(UUID, by: ChatMember, reason: String?)
    case cleared(RoomPosition, by: ChatMember)
    case notice(ModeratorNotice)
    case muteChanged(Mute?)
    /// Something to be told as it is.
    case remark(String)
}
