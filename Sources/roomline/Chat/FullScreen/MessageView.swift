import Foundation
import RoomClient

/// The rows of the messages of the room that is shown, as far as they are looked at. Pure.
struct MessageView {
    /// The rows under the first of a message begin under its name: nothing in them looks like a message of its own.
    private static let indent = 6

    private static let invitation = StyledLine.dim("Nobody has written here yet. Say hello.")

    private let room: OpenRoom
    private let columns: Int
    private let rows: Int
    private let timeZone: TimeZone
    private let me: Person
    /// The search whose matches stand out.
    private let search: MessageSearch?

    init(chat: FullScreenChat, columns: Int, rows: Int) {
        self.room = chat.room
        self.columns = max(columns, 1)
        self.rows = rows
        self.timeZone = chat.timeZone
        self.me = chat.me
        self.search = chat.mode == .searching || chat.room.anchor != nil ? chat.search : nil
    }

    private var count: Int { self.room.log.entries.count + self.room.log.outgoing.count }
    /// Whether there is nothing, and nothing older either.
    private var isEmpty: Bool {
        self.count == 0 && self.room.standing == .joined && [.none, .off].contains(self.room.log.older)
    }
    private var firstNumber: Int { self.room.log.entries.first?.number ?? 0 }

    // MARK: Visible rows

    /// As many rows as there is room for, or fewer.
    func visible() -> [StyledLine] {
        if self.isEmpty { return Self.invitation.folded(columns: self.columns) }
        var rows: [StyledLine] = []
        var (index, hidden) = self.place
        while index >= 0, rows.count < self.rows {
            rows.insert(contentsOf: self.block(index).dropLast(hidden), at: 0)
            (index, hidden) = (index - 1, 0)
        }
        return rows.suffix(self.rows)
    }

    /// The entry of the last row, and how many of the entry's rows are below.
    private var place: (index: Int, hidden: Int) {
        guard let anchor = self.room.anchor else { return (self.count - 1, 0) }
        let index = min(max(anchor.number - self.firstNumber, 0), self.count - 1)
        guard index >= 0 else { return (index, 0) }
        return (index, min(max(anchor.hidden, 0), self.block(index).count - 1))
    }

    func scrolled(up count: Int) -> (anchor: OpenRoom.Anchor?, isAtTop: Bool) {
        var (index, hidden) = self.place
        guard index >= 0 else { return (nil, true) }
        hidden += count
        // The page that it leads to has to be full, or it is the first one.
        while index >= 0, hidden >= self.block(index).count {
            hidden -= self.block(index).count
            index -= 1
        }
        let first = self.firstPage
        guard index >= 0, let first else { return (first, true) }
        let anchor = OpenRoom.Anchor(number: self.firstNumber + index, hidden: hidden)
        let isBefore = anchor.number < first.number || (anchor.number == first.number && hidden >= first.hidden)
        return isBefore ? (first, true) : (anchor, false)
    }

    /// - Returns: `nil` at the end, where the view follows what comes.
    func scrolled(down count: Int) -> OpenRoom.Anchor? {
        var (index, hidden) = self.place
        hidden -= count
        while hidden < 0 {
            index += 1
            guard index < self.count else { return nil }
            hidden += self.block(index).count
        }
        guard index < self.count - 1 || hidden > 0 else { return nil }
        return OpenRoom.Anchor(number: self.firstNumber + index, hidden: hidden)
    }

    /// `nil` where everything fits on one page.
    private var firstPage: OpenRoom.Anchor? {
        var height = 0
        for index in 0..<self.count {
            height += self.block(index).count
            if height >= self.rows {
                let hidden = height - self.rows
                let isAll = index == self.count - 1 && hidden == 0
                return isAll ? nil : OpenRoom.Anchor(number: self.firstNumber + index, hidden: hidden)
            }
        }
        return nil
    }

    // MARK: Rows

    /// One entry, with what stands above it.
    private func block(_ index: Int) -> [StyledLine] {
        let entries = self.room.log.entries
        guard index < entries.count else {
            return self.outgoing(self.room.log.outgoing[index - entries.count])
        }
        let entry = entries[index]
        var rows: [StyledLine] = []
        if index == 0 { rows += self.beginning }
        let day = ClockTime(entry.date, in: self.timeZone).day
        if index == 0 || day != ClockTime(entries[index - 1].date, in: self.timeZone).day {
            rows.append(self.rule(day, .dim))
        }
        if entry.number == self.room.unread.first { rows.append(self.rule("new", .bold)) }
        return rows + self.rows(of: entry)
    }

    private var beginning: [StyledLine] {
        switch self.room.log.older {
        case .loading: [self.rule("loading older messages", .dim)]
        case .none: [self.rule("the beginning", .dim)]
        case .off: [self.rule("this channel keeps no history", .dim)]
        case .unknown, .upTo: []
        }
    }

    /// `──────── new ────────`
    private func rule(_ text: String, _ style: StyledLine.Style) -> StyledLine {
        let label = " \(text) ".shortened(toColumns: self.columns)
        let left = (self.columns - label.columns) / 2
        let right = self.columns - label.columns - left
        return StyledLine(String(repeating: "─", count: left) + label + String(repeating: "─", count: right), style)
    }

    private func rows(of entry: ChatEntry) -> [StyledLine] {
        let time = StyledLine.Span(text: ClockTime(entry.date, in: self.timeZone).minutes + " ", style: .dim)
        switch entry.content {
        case .remark(let spans):
            return StyledLine(spans: [time] + spans, indent: Self.indent).folded(columns: self.columns)
        case .message(let message):
            let name = message.sender.person.span
            let distinction = self.room.people.distinction(of: message.sender)
            if let redaction = message.redaction {
                let spans = [time, name, StyledLine.Span(text: "\(distinction): (\(redaction))", style: .dim)]
                return StyledLine(spans: spans, indent: Self.indent).folded(columns: self.columns)
            }
            let mark = StyledLine.Span(text: distinction, style: .dim)
            return self.rows(of: message.body, [time], [name, mark]) { self.highlighted($0, message) }
        }
    }

    private func outgoing(_ message: OutgoingMessage) -> [StyledLine] {
        let style = message.id == nil ? StyledLine.Style.dim : .normal
        let time = StyledLine.Span(text: ClockTime(message.date, in: self.timeZone).minutes + " ", style: .dim)
        let name = message.id == nil ? StyledLine.Span(text: self.me.shownName, style: .dim) : self.me.span
        return self.rows(of: message.body, [time], [name]) { [StyledLine.Span(text: $0, style: style)] }
    }

    private func rows(
        of body: MessageBody,
        _ time: [StyledLine.Span],
        _ sender: [StyledLine.Span],
        _ text: (String) -> [StyledLine.Span]
    ) -> [StyledLine] {
        let plain = StyledLine.Span(text: body.isAction ? " " : ": ", style: .normal)
        let start = body.isAction ? [StyledLine.Span(text: "* ", style: .dim)] : []
        var lines = body.lines.enumerated().map { index, line in
            let indent = StyledLine.Span(text: String(repeating: " ", count: Self.indent), style: .normal)
            let spans = index == 0 ? time + start + sender + [plain] : [indent]
            return StyledLine(spans: spans + text(line), indent: Self.indent)
        }
        if body.cut > 0, !lines.isEmpty {
            lines[lines.count - 1].spans.append(.init(text: " … and \(body.cut) more characters", style: .dim))
        }
        return lines.flatMap { $0.folded(columns: self.columns) }
    }

    /// The user's name in what others say, and what a search has found.
    private func highlighted(_ line: String, _ message: ChatEntry.Message) -> [StyledLine.Span] {
        let found = self.search.map { line.ranges(ofText: $0.text) } ?? []
        if !found.isEmpty { return line.spans(found, .found) }
        return message.isOwn
            ? [.init(text: line, style: .normal)]
            : line.spans(line.ranges(ofText: self.me.shownName, isWord: true), .inverse)
    }
}

extension String {
    /// With a style for some of its parts.
    fileprivate func spans(_ ranges: [Range<String.Index>], _ style: StyledLine.Style) -> [StyledLine.Span] {
        var spans: [StyledLine.Span] = []
        var start = self.startIndex
        for range in ranges {
            if start < range.lowerBound {
                spans.append(.init(text: String(self[start..<range.lowerBound]), style: .normal))
            }
            spans.append(.init(text: String(self[range]), style: style))
            start = range.upperBound
        }
        if start < self.endIndex { spans.append(.init(text: String(self[start...]), style: .normal)) }
        return spans
    }
}
