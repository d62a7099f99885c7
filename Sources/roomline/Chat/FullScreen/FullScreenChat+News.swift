import Foundation
import RoomClient

/// Events in the rooms and of the connection.
extension FullScreenChat {
    mutating func happened(_ news: RoomNews, in name: String, _ now: ChatTime) -> [ChatAction] {
        guard let index = self.index(of: name) else { return [] }
        switch news {
        case .message(let message, let date): return self.said(message, date, index)
        case .members(let members, let count):
            self.rooms[index].showsMembers = true
            self.rooms[index].people.listed(members, count: count)
        case .joined(let member):
            self.rooms[index].people.joined(member)
            self.event("→", member, " joined", index, now)
        case .left(let member):
            self.event("←", member, " left", index, now)
            self.rooms[index].people.left(member)
        case .updated(let member): self.updated(member, index, now)
        case .typing(let member, let isTyping):
            guard member.id != self.clientID else { return [] }
            if isTyping {
                self.rooms[index].people.typing.began(member.person, now: now.instant)
            } else {
                self.rooms[index].people.typing.ended(member.id)
            }
        case .redacted(let id, let moderator, let reason): self.redacted(id, moderator, reason, index, now)
        case .cleared(let position, let moderator):
            self.rooms[index].log.cleared(position)
            self.rooms[index].unread.forget()
            self.rooms[index].anchor = nil
            self.event("×", moderator, " deleted all messages", index, now)
        case .notice(let notice):
            self.rooms[index].rules.noticed(notice)
            self.noticed(notice, index, now)
        case .muteChanged(let mute):
            self.rooms[index].rules.isMutedHere = mute != nil
            self.rooms[index].remark(Mute.text(mute, in: self.timeZone), at: now.date)
        case .remark(let text): self.rooms[index].remark(text, at: now.date)
        }
        return []
    }

    /// Events that concern all rooms.
    mutating func happened(_ event: ClientEvent, _ now: ChatTime) {
        for index in self.rooms.indices {
            switch event {
            case .notice(let notice): self.noticed(notice, index, now)
            case .muteChanged(let mute):
                self.rooms[index].rules.isMutedEverywhere = mute != nil
                let place = mute == nil ? "" : " in all rooms"
                self.rooms[index].remark(Mute.text(mute, in: self.timeZone) + place, at: now.date)
            }
        }
    }

    private mutating func said(_ message: ChatEntry.Message, _ date: Date, _ index: Int) -> [ChatAction] {
        self.rooms[index].people.wrote(message.sender, seq: message.seq)
        self.rooms[index].people.typing.ended(message.sender.id)
        guard let number = self.rooms[index].log.append(message, at: date) else { return [] }
        let isMention = !message.isOwn && message.body.mentions(self.me.shownName)
        let isSeen = index == self.shown && self.rooms[index].anchor == nil
        self.rooms[index].unread.came(number, isMention: isMention, isSeen: isSeen || message.isOwn)
        return isMention ? [.ring] : []
    }

    private mutating func updated(_ member: ChatMember, _ index: Int, _ now: ChatTime) {
        guard let earlier = self.rooms[index].people.updated(member), earlier.name != member.name else { return }
        // The user has been told.
        guard member.id != self.clientID else { return }
        self.event("·", earlier, " is \(member.name) now", index, now)
    }

    private mutating func redacted(
        _ id: UUID,
        _ moderator: ChatMember,
        _ reason: String?,
        _ index: Int,
        _ now: ChatTime
    ) {
        let why = reason.map { ": \(TerminalText.line($0))" } ?? ""
        let entry = self.rooms[index].log.redacted(id, "removed by \(moderator.name)\(why)")
        if entry == nil { self.rooms[index].remark("\(moderator.name) removed an older message\(why)", at: now.date) }
    }

    private mutating func noticed(_ notice: ModeratorNotice, _ index: Int, _ now: ChatTime) {
        let moderator = Person(notice.sender)
        let spans: [StyledLine.Span] = [
            .init(text: "notice of ", style: .bold), moderator.span,
            .init(text: ": \(TerminalText.line(notice.text))", style: .normal),
        ]
        self.rooms[index].log.remark(spans, at: now.date)
    }

    private mutating func event(_ sign: String, _ member: ChatMember, _ what: String, _ index: Int, _ now: ChatTime) {
        let distinction = self.rooms[index].people.distinction(of: member)
        let spans: [StyledLine.Span] = [
            .init(text: "\(sign) ", style: .dim), member.person.span,
            .init(text: distinction + what, style: .dim),
        ]
        self.rooms[index].log.remark(spans, at: now.date)
    }

    // MARK: The user's own

    mutating func acknowledged(_ room: String, ticket: Int, id: UUID) -> [ChatAction] {
        if let index = self.index(of: room) { self.rooms[index].log.acknowledged(ticket, id: id) }
        return self.endIfSettled()
    }

    mutating func refused(_ room: String, ticket: Int, _ reason: String, _ now: ChatTime) -> [ChatAction] {
        if let index = self.index(of: room), let message = self.rooms[index].log.refused(ticket) {
            let text = TerminalText.line(message.text).shortened(toColumns: 30)
            self.rooms[index].remark("not sent: \"\(text)\": \(reason)", at: now.date)
        }
        return self.endIfSettled()
    }

    // MARK: The connection

    mutating func connectionChanged(to state: ConnectionState, _ now: ChatTime) {
        let wasDown = self.connection.isDown
        self.connection.changed(to: state, now.instant)
        if case .connected(let id) = state { self.clientID = id }
        for index in self.rooms.indices where self.connection.isDown != wasDown {
            if self.connection.isDown { self.rooms[index].rules.connectionLost() }
            guard self.rooms[index].standing == .joined else { continue }
            self.rooms[index].remark(self.connection.isDown ? "connection lost" : "connected again", at: now.date)
        }
    }
}
