import Foundation
import RoomClient

extension RoomNews {
    /// `nil`: nothing that the chat shows.
    ///
    /// - Parameter memberCount: of the room by now. Joins that are still to be told are in it already, so that it counts only
    ///   where the members are not listed.
    init?(_ event: RoomEvent<JSON>, memberCount: Int, timeZone: TimeZone) {
        switch event {
        case .message(let message):
            guard message.seq != nil else { return nil }
            self = .message(ChatEntry.Message(message), message.time)
        case .signal(.typing(let isTyping), let message): self = .typing(ChatMember(message.sender), isTyping)
        case .signal(.read, _): return nil
        case .members(let members):
            self = .members(members.map { ChatMember($0) }, count: members.isEmpty ? memberCount : members.count)
        case .joined(let member): self = .joined(ChatMember(member))
        case .left(let member): self = .left(ChatMember(member))
        case .updated(let member): self = .updated(ChatMember(member))
        case .gap(let gap): self = .remark(gap.text)
        case .redacted(let redaction):
            self = .redacted(redaction.messageID, by: ChatMember(redaction.sender), reason: redaction.reason)
        case .cleared(let position, let sender): self = .cleared(position, by: ChatMember(sender))
        case .notice(let notice): self = .notice(notice)
        case .muteChanged(let mute): self = .muteChanged(mute)
        }
    }
}

extension ChatEntry.Message {
    init(_ message: RoomMessage<JSON>) {
        self.init(
            id: message.id,
            seq: message.seq,
            sender: ChatMember(message.sender),
            body: MessageBody(message.chatText),
            isOwn: message.isOwn,
            redaction: message.isRedacted ? "removed by a moderator" : nil
        )
    }
}
