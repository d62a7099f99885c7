import Foundation
import RoomClient

/// Lines that the user enters.
extension FullScreenChat {
    mutating func entered(_ line: String, _ now: ChatTime) -> [ChatAction] {
        let pending = self.pending
        self.pending = nil
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
        case .moderate(let command): return self.moderate(self.input(command))
        case .answer(let number):
            if let input = pending?.question?.answer(number) { return self.moderate(input) }
            // The question may be still to come.
            self.pending = pending
            self.remark(number == nil ? ChatCommand.nothingToConfirm : ChatCommand.nothingToChoose, now)
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

    private func input(_ command: ModerationCommand) -> ModeratorInput {
        let people = self.room.people
        var redacted: ModeratorInput.Redacted?
        if case .redact(let back, _) = command, let newest = self.newestAtPrompt ?? self.room.log.newestSeq {
            redacted = self.room.log.redactable(back: back, from: newest)
            if let sender = redacted?.sender { redacted?.mark = people.distinction(of: sender) }
        }
        return ModeratorInput(
            command: command,
            room: self.room.name,
            known: people.targets(for: self.clientID, showsMembers: self.room.showsMembers),
            redacted: redacted,
            users: self.room.showsMembers ? people.users : nil
        )
    }

    private mutating func moderate(_ input: ModeratorInput) -> [ChatAction] {
        self.pending = PendingAct(input: input)
        return [.moderate(input)]
    }

    /// Asks the user what is meant; nothing is done before.
    mutating func asked(_ question: ModeratorQuestion, of input: ModeratorInput, _ now: ChatTime) {
        guard self.pending?.input == input else {
            let text = "not done, as it needs an answer and something else came between: enter it again"
            return self.remark(text, in: input.room, now)
        }
        self.pending?.question = question
        for line in question.lines { self.remark(line, now) }
    }

    /// - Parameter notes: what to say of it.
    mutating func done(_ input: ModeratorInput, _ notes: [String], _ now: ChatTime) {
        if self.pending?.input == input { self.pending = nil }
        for note in notes { self.remark(note, in: input.room, now) }
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
            self.remark("that is not a name", now)
            return []
        }
        self.profile.name = name
        return [.change(self.profile)]
    }

    /// The broker has not taken the profile: the others go on seeing the one before.
    mutating func refused(_ profile: MemberProfile, _ reason: String, _ now: ChatTime) {
        if self.profile == profile { self.profile = self.acceptedProfile }
        self.remark("that did not work: \(reason)", now)
    }

    /// The broker has taken the profile.
    mutating func changed(_ profile: MemberProfile, _ now: ChatTime) {
        self.acceptedProfile = profile
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
            let user = member.user.map { "user \(TerminalText.user($0)), " } ?? ""
            let isMe = member.id == self.clientID
            let spans: [StyledLine.Span] = [
                .init(text: "  ", style: .dim), member.person.span,
                .init(text: "  \(user)id \(TerminalText.line(member.id))\(isMe ? " (you)" : "")", style: .dim),
            ]
            self.room.log.remark(spans, at: now.date)
        }
    }
}
