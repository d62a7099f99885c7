import Foundation
import RoomClient

/// Keys that the user presses.
extension FullScreenChat {
    /// A paste of more lines than this is asked about.
    private static let mostPastedLines = 5

    mutating func pressed(_ key: Key, _ now: ChatTime) -> [ChatAction] {
        self.candidates = []
        switch self.mode {
        case .typing: return self.typed(key, now)
        case .searching: return self.searched(key, now)
        case .asking(let text): return self.answered(key, text, now)
        case .reading(let page): return self.read(key, page, now)
        }
    }

    private mutating func typed(_ key: Key, _ now: ChatTime) -> [ChatAction] {
        switch key {
        case .pageUp: return self.pageUp()
        case .pageDown: self.pageDown()
        case .escape: self.followEnd()
        case .control("n"), .altDown: self.show((self.shown + 1) % self.rooms.count)
        case .control("p"), .altUp: self.show((self.shown + self.rooms.count - 1) % self.rooms.count)
        case .control("r"): self.beginSearch("")
        case .alt("a"): self.showUnread()
        case .alt(let digit): if let number = digit.wholeNumberValue { self.show(number - 1) }
        case .pasted(let text):
            // The end of the last line is none of another one.
            let lines = String(text.reversed().drop { $0.isNewline }.reversed())
            if TerminalText.lines(lines).count <= Self.mostPastedLines { return self.edited(.pasted(lines), now) }
            self.mode = .asking(lines)
        default: return self.edited(key, now)
        }
        return []
    }

    private mutating func edited(_ key: Key, _ now: ChatTime) -> [ChatAction] {
        switch self.editor.press(key) {
        case .edited:
            self.noteBeginning()
            return self.tellTyping(now)
        case .none: return []
        case .tooLong:
            self.remark("not pasted: a message typed here can have \(LineEditor.longestLine / 1_024) KiB", now)
            return []
        case .entered(let line): return self.entered(line, now)
        case .completionWanted:
            self.complete()
            return []
        case .clearScreen: return [.repaint]
        case .suspended: return [.suspend]
        case .ended: return self.leave()
        }
    }

    private mutating func noteBeginning() {
        if self.editor.isEmpty {
            self.newestAtPrompt = nil
        } else if self.newestAtPrompt == nil {
            self.newestAtPrompt = self.room.log.newestSeq
        }
    }

    /// Every few seconds, while a message is being written.
    private mutating func tellTyping(_ now: ChatTime) -> [ChatAction] {
        let text = self.editor.text
        let isMessage = text.contains { $0 != " " } && (!text.hasPrefix("/") || text.hasPrefix("//"))
        let isSoon = self.lastTypingSign.map { now.instant - $0 < TypingIndicators.interval } ?? false
        guard isMessage, !isSoon, self.room.standing == .joined else { return [] }
        self.lastTypingSign = now.instant
        return [.tellTyping(room: self.room.name)]
    }

    private mutating func complete() {
        let before = self.editor.before
        let takesRoom = before.hasPrefix("/join ") || before.hasPrefix("/leave ")
        let people = self.room.people.targets(for: self.clientID, showsMembers: self.room.showsMembers)
            .filter { !$0.isOneself && ($0.isPresent != false || !ModerationCommand.isForMembersOnly(before)) }
        let names = takesRoom ? self.rooms.map(\.shownName) : Set(people.compactMap(\.member.person.name)).sorted()
        guard let completion = Completion(of: before, people: names) else { return }
        self.candidates = completion.candidates
        self.editor.complete(replacing: completion.replaced, with: completion.text)
    }

    // MARK: The help

    private mutating func read(_ key: Key, _ page: HelpPage, _ now: ChatTime) -> [ChatAction] {
        let (columns, rows) = (self.layout.columns, self.layout.messageRows)
        var page = page
        switch key {
        case .pageDown: page.scroll(by: rows, columns: columns, rows: rows)
        case .pageUp: page.scroll(by: -rows, columns: columns, rows: rows)
        case .down: page.scroll(by: 1, columns: columns, rows: rows)
        case .up: page.scroll(by: -1, columns: columns, rows: rows)
        case .control("l"): return [.repaint]
        case .control("z"): return [.suspend]
        case .enter, .escape, .control("c"):
            self.mode = .typing
            return []
        default:
            self.mode = .typing
            return self.typed(key, now)
        }
        self.mode = .reading(page)
        return []
    }

    // MARK: A paste

    private mutating func answered(_ key: Key, _ text: String, _ now: ChatTime) -> [ChatAction] {
        switch key {
        case .enter, .text("y"), .text("Y"):
            self.mode = .typing
            return self.edited(.pasted(text), now)
        case .escape, .control("c"), .text("n"), .text("N"): self.mode = .typing
        default: break
        }
        return []
    }

    // MARK: Scrolling

    var view: MessageView {
        MessageView(chat: self, columns: self.layout.messageColumns, rows: self.layout.messageRows)
    }

    private mutating func pageUp() -> [ChatAction] {
        let page = self.view.scrolled(up: max(self.layout.messageRows - 1, 1))
        self.room.anchor = page.anchor
        return page.isAtTop ? self.loadOlder(self.shown, Self.olderPage) : []
    }

    private mutating func pageDown() {
        self.room.anchor = self.view.scrolled(down: max(self.layout.messageRows - 1, 1))
        if self.room.anchor == nil { self.room.unread.seen() }
    }

    mutating func followEnd() {
        self.room.anchor = nil
        self.room.unread.forget()
    }

    private static let olderPage = 100

    // MARK: Search

    mutating func beginSearch(_ text: String) {
        self.mode = .searching
        self.search.begin(text, in: self.room.log)
        self.showMatch()
    }

    private mutating func searched(_ key: Key, _ now: ChatTime) -> [ChatAction] {
        let log = self.room.log
        switch key {
        case .text(let scalar): self.search.begin(self.search.text + TerminalText.line(String(scalar)), in: log)
        case .pasted(let text): self.search.begin(self.search.text + TerminalText.line(text), in: log)
        case .backspace: self.search.begin(String(self.search.text.dropLast()), in: log)
        case .up, .control("r"): self.search.older(in: log)
        case .down, .control("s"): self.search.newer(in: log)
        case .enter:
            self.mode = .typing
            return []
        case .escape, .control("c"):
            self.mode = .typing
            self.followEnd()
            return []
        case .control("z"): return [.suspend]
        case .control("l"): return [.repaint]
        default: return []
        }
        self.showMatch()
        return []
    }

    /// With some rows below it.
    private mutating func showMatch() {
        guard let match = self.search.match else { return }
        self.room.anchor = OpenRoom.Anchor(number: match)
        self.room.anchor = self.view.scrolled(down: self.layout.messageRows / 2)
    }
}
