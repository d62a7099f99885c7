import RoomClient

/// The row above the prompt: what is out of the ordinary, or who is here.
extension FullScreenView {
    private static let mostNames = 5

    var status: StyledLine {
        switch self.chat.mode {
        case .reading:
            let fits = HelpPage.fits(columns: self.layout.columns, rows: self.layout.messageRows)
            return .dim((fits ? "" : " Page Up and Page Down show the rest,") + " Escape closes the help")
        case .asking: return .dim(" the lines become one message; the next Enter sends it")
        case .typing, .searching: break
        }
        guard self.chat.candidates.isEmpty else { return .dim(" " + self.chat.candidates.joined(separator: ", ")) }
        let text = self.text(isShort: false)
        // What is cut off would be the end, and who is typing matters less than what is not sent.
        return .dim(" " + (text.columns < self.layout.columns ? text : self.text(isShort: true)))
    }

    private func text(isShort: Bool) -> String {
        let typing = self.chat.room.people.typing.text
        let parts = [self.trouble(isShort), self.sending(isShort), self.otherRooms, self.scrolled, typing]
        let texts = parts.compactMap(\.self)
        return texts.isEmpty ? self.presence : texts.joined(separator: " · ")
    }

    private func trouble(_ isShort: Bool) -> String? {
        let advice = self.chat.connection.isWaiting && self.chat.editor.isEmpty
        return self.chat.connection.text(isShort: isShort).map { text in
            text + (!advice ? "" : isShort ? " (Enter)" : ", Enter tries now")
        }
    }

    private func sending(_ isShort: Bool) -> String? {
        let unsettled = self.chat.unsettled
        let messages = unsettled == 1 ? "1 message" : "\(unsettled) messages"
        if self.chat.isLeaving {
            return isShort ? "\(unsettled) unsent (Ctrl-C leaves)" : "waiting for \(messages), Ctrl-C leaves now"
        }
        guard unsettled > 0, self.chat.connection.isDown else { return nil }
        return isShort ? "\(unsettled) unsent" : "\(messages) not sent yet"
    }

    /// Where they have no part of the screen: those with something new.
    private var otherRooms: String? {
        guard self.layout.roomColumns == 0, self.chat.rooms.count > 1 else { return nil }
        let labels = self.chat.rooms.map(\.shownName)
        let names = self.chat.rooms.enumerated().filter { $0.element.unread.count > 0 && $0.offset != self.chat.shown }
            .map { "\($0.offset + 1):\(labels[$0.offset].endShown(inColumns: 12)) \(Self.count(of: $0.element))" }
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private var scrolled: String? {
        guard self.chat.room.anchor != nil else { return nil }
        let count = self.chat.room.unread.count
        return count > 0 ? "\(count) new below, Page Down" : "more below, Page Down"
    }

    /// Where nothing else is to be told.
    private var presence: String {
        let people = self.chat.room.people
        let others = people.ordered.filter { $0.id != self.chat.clientID }.map { $0.name + people.distinction(of: $0) }
        guard self.chat.room.showsMembers, self.layout.memberColumns == 0, people.count > 0 else {
            return "/help lists the commands and keys"
        }
        switch others.count {
        case 0: return "nobody else here"
        case ...Self.mostNames: return others.joined(separator: ", ")
        default: return "\(people.count) people"
        }
    }
}
