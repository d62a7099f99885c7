import Foundation
import RoomClient

/// Lines that the user enters.
extension FullScreenChat {
    mutating func entered(_ line: String, _ now: ChatTime) -> [ChatAction] {
        let unconfirmed = self.unconfirmed
        self.unconfirmed = nil
        defer { self.newestAtPrompt = nil }
        switch ChatCommand(line) {
        case .nothing:
            self.followEnd()
            return self.connection.isWaiting ? [.reconnect] : []
        case .say(let text): return self.submit(text, typed: line, now)
        case .act(let text): return self.submit("/me \(text)", typed: line, now)
        case .join(let room): return self.open(room)
        case .leave(let room): return self.close(room, now)
        case .search(let text): self.beginSearch(text)
        case .who: self.listMembers(now)
        case .color(let text): return self.changeColor(text, now)
        case .name(let text): return self.changeName(text, now)
        case .history(let count): return self.showHistory(count, now)
        case .moderate(let command): return self.moderate(self.request(command))
        case .confirm:
            if let unconfirmed, unconfirmed.isAsked { return [.moderate(unconfirmed.request)] }
            // The question may be still to come.
            self.unconfirmed = unconfirmed
            self.remark(ChatCommand.nothingToConfirm, now)
        case .help: self.mode = .reading(HelpPage())
        case .quit: return self.leave()
        case .whisper: self.remark(ChatCommand.noWhispers, now)
        case .parseError(let text): self.remark(text, now)
        }
        return []
    }

    private mutating func submit(_ text: String, typed line: String, _ now: ChatTime) -> [ChatAction] {
        guard !self.isLeaving else { return [] }
        if case .ended = self.room.standing {
            // It is typed already, and may be sent once the user is back.
            _ = self.editor.press(.pasted(line))
            self.remark("not sent, as you are not in this room: /join \(self.room.shownName) tries again", now)
            return []
        }
        let ticket = self.nextTicket()
        self.lastTypingSign = nil
        self.room.log.sent(OutgoingMessage(ticket: ticket, text: text, date: now.date))
        self.followEnd()
        return [.publish(text, room: self.room.name, ticket: ticket)]
    }

    private func request(_ command: ModerationCommand) -> ModeratorInput {
        var redacted: ModeratorInput.Redacted?
        if case .redact(let back, _) = command, let newest = self.newestAtPrompt ?? self.room.log.newestSeq {
            redacted = self.room.log.redactable(back: back, from: newest)
        }
        let known = self.room.people.targets(except: self.clientID, showsMembers: self.room.showsMembers)
        return ModeratorInput(
            command: command,
            room: self.room.name,
            known: known,
            redacted: redacted,
            users: self.room.showsMembers ? self.room.people.users : nil
        )
    }

    /// Asks before it does what cannot be undone, and before that whether the user may do it.
    private mutating func moderate(_ request: ModeratorInput) -> [ChatAction] {
        guard request.mayNeedQuestion else { return [.moderate(request)] }
        self.unconfirmed = UnconfirmedAct(request: request)
        return [.checkPermission(request)]
    }

    /// The broker lets the user do it, and knows more of who is meant.
    mutating func permitted(_ request: ModeratorInput, as checked: ModeratorInput, _ now: ChatTime) {
        guard self.unconfirmed == UnconfirmedAct(request: request), let question = checked.question else { return }
        self.unconfirmed = UnconfirmedAct(request: checked, isAsked: true)
        self.remark(question, now)
    }

    /// The broker would not let the user do it.
    mutating func notPermitted(_ request: ModeratorInput, _ reason: String, _ now: ChatTime) {
        if self.unconfirmed?.request == request { self.unconfirmed = nil }
        self.remark(reason, in: request.room, now)
    }

    private mutating func showHistory(_ count: Int, _ now: ChatTime) -> [ChatAction] {
        switch self.room.log.older {
        case .off: self.remark("this channel keeps no history", now)
        case .none: self.remark("there is nothing older", now)
        case .loading: self.remark("older messages are on their way", now)
        case .unknown: break
        case .upTo: return self.loadOlder(self.index(of: self.room.name) ?? 0, count)
        }
        return []
    }

    // MARK: Name and colour

    private mutating func changeColor(_ text: String?, _ now: ChatTime) -> [ChatAction] {
        guard let text else {
            let color = self.profile.color.map { "\($0)" } ?? "made from your name"
            self.remark("your colour is \(color)", now)
            return []
        }
        do throws(RoomClientError) {
            self.profile.color = try MemberColor(text)
            return [.change(self.profile)]
        } catch {
            self.remark(error.message, now)
            return []
        }
    }

    private mutating func changeName(_ text: String?, _ now: ChatTime) -> [ChatAction] {
        guard let text else {
            self.remark("your name is \(self.me.shownName)", now)
            return []
        }
        guard let name = TerminalText.name(text, upTo: TerminalText.longestOwnName) else {
            self.remark("that is no name", now)
            return []
        }
        self.profile.name = name
        return [.change(self.profile)]
    }

    /// The broker has taken the profile.
    mutating func changed(_ now: ChatTime) {
        let spans: [StyledLine.Span] = [.init(text: "· you are ", style: .dim), self.me.span]
        self.room.log.remark(spans, at: now.date)
    }

    // MARK: Lists

    private mutating func listMembers(_ now: ChatTime) {
        guard self.room.showsMembers else { return self.remark(ChatCommand.noMembers, now) }
        let people = self.room.people
        let hidden = people.count - people.present.count
        self.remark("\(people.count) here" + (hidden > 0 ? "; the broker lists none of so many" : ":"), now)
        for member in people.ordered {
            let user = member.user.map { "user \(TerminalText.line($0)), " } ?? ""
            let isMe = member.id == self.clientID
            let spans: [StyledLine.Span] = [
                .init(text: "  ", style: .dim), member.person.span,
                .init(text: "  \(user)id \(TerminalText.line(member.id))\(isMe ? " (you)" : "")", style: .dim),
            ]
            self.room.log.remark(spans, at: now.date)
        }
    }
}
