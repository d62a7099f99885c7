import RoomClient

/// Draws the state of the full screen: rows of styled text, each exactly as wide as the screen. Pure.
struct FullScreenView {
    private static let separator = StyledLine.Span(text: "│", style: .dim)

    let chat: FullScreenChat
    let layout: ScreenLayout

    init(_ chat: FullScreenChat) {
        self.chat = chat
        self.layout = chat.layout
    }

    func frame() -> ScreenFrame {
        var rows = self.layout.hasTitle ? [self.title] : []
        rows += self.middle
        if self.layout.hasStatus { rows.append(self.status.fitted(toColumns: self.layout.columns)) }
        let input = self.input
        let cursor = ScreenFrame.Position(
            row: rows.count + input.cursor.row,
            column: min(input.cursor.column, self.layout.columns - 1)
        )
        rows += input.rows.map { $0.fitted(toColumns: self.layout.columns) }
        return ScreenFrame(rows: rows, cursor: cursor)
    }

    // MARK: The title

    private var title: StyledLine {
        let room = self.chat.room
        let count = room.people.count
        let members = room.showsMembers && count > 0 ? "\(count) member\(count == 1 ? "" : "s")" : nil
        let standing: String? =
            switch room.standing {
            case .joining: "joining…"
            case .joined: nil
            case .ended: "not joined"
            }
        let left = [room.shownName, standing, members, room.rules.text].compactMap(\.self).joined(separator: " · ")
        let user = room.people.member(self.chat.clientID)?.user.map { " (user \(TerminalText.user($0)))" } ?? ""
        let right = self.chat.me.shownName + user + " "
        let space = self.layout.columns - right.columns - 1
        let text = left.columns + 2 <= space ? " " + left.padded(to: space) + right : " " + left
        return StyledLine(text, .inverse).fitted(toColumns: self.layout.columns)
    }

    // MARK: The middle

    private var middle: [StyledLine] {
        if case .reading(let page) = self.chat.mode {
            let rows = page.rows(columns: self.layout.columns, rows: self.layout.messageRows)
            let blanks = Array(repeating: StyledLine(spans: []), count: self.layout.messageRows - rows.count)
            return (rows + blanks).map { $0.fitted(toColumns: self.layout.columns) }
        }
        let messages = self.messages
        let rooms = self.layout.roomColumns > 0 ? self.rooms : []
        let members = self.layout.memberColumns > 0 ? self.members : []
        return (0..<self.layout.messageRows).map { row in
            var spans: [StyledLine.Span] = []
            if self.layout.roomColumns > 0 {
                spans += Self.cell(rooms, row, self.layout.roomColumns) + [Self.separator]
            }
            spans += messages[row].fitted(toColumns: self.layout.messageColumns).spans
            if self.layout.memberColumns > 0 {
                spans += [Self.separator] + Self.cell(members, row, self.layout.memberColumns)
            }
            return StyledLine(spans: spans)
        }
    }

    private static func cell(_ lines: [StyledLine], _ row: Int, _ columns: Int) -> [StyledLine.Span] {
        let line = row < lines.count ? lines[row] : StyledLine(spans: [])
        return line.fitted(toColumns: columns).spans
    }

    /// At the lower end of their part of the screen.
    private var messages: [StyledLine] {
        let rows = self.chat.view.visible()
        return Array(repeating: StyledLine(spans: []), count: self.layout.messageRows - rows.count) + rows
    }

    // MARK: Rooms

    private var rooms: [StyledLine] {
        let width = self.layout.roomColumns
        let names = self.chat.rooms.map(\.shownName)
        let lines = self.chat.rooms.enumerated().map { index, room in
            let count = Self.count(of: room)
            let place = index < 9 ? "\(index + 1) " : "  "
            let space = width - place.columns - count.columns - (count.isEmpty ? 0 : 1)
            let name = names[index].endShown(inColumns: space).padded(to: space)
            let text = place + name + (count.isEmpty ? "" : " " + count)
            if index == self.chat.shown { return StyledLine(text, .inverse) }
            return StyledLine(text, room.unread.count > 0 ? .bold : room.standing == .joined ? .normal : .dim)
        }
        guard lines.count > self.layout.messageRows else { return lines }
        // The room that is shown is always among them.
        let first = min(max(self.chat.shown - self.layout.messageRows / 2, 0), lines.count - self.layout.messageRows)
        return Array(lines[first...])
    }

    /// `3`, or `3!` where somebody has named the user.
    static func count(of room: OpenRoom) -> String {
        guard room.unread.count > 0 else { return "" }
        return "\(min(room.unread.count, 999))" + (room.unread.mentions > 0 ? "!" : "")
    }

    // MARK: Members

    private var members: [StyledLine] {
        let people = self.chat.room.people
        guard !people.present.isEmpty else {
            return people.count > 0 ? [.dim(" \(people.count) members,"), .dim(" not listed")] : []
        }
        let lines = people.ordered.map { self.line(of: $0) }
        guard lines.count > self.layout.messageRows, self.layout.messageRows > 0 else { return lines }
        let shown = lines.prefix(self.layout.messageRows - 1)
        return shown + [.dim(" + \(lines.count - shown.count) more")]
    }

    private func line(of member: ChatMember) -> StyledLine {
        let distinction = self.chat.room.people.distinction(of: member)
        let user =
            member.user.flatMap { TerminalText.isSameUser($0, member.name) ? nil : " \(TerminalText.user($0))" } ?? ""
        let you = member.id == self.chat.clientID ? " you" : ""
        let space = max(self.layout.memberColumns - 1 - you.columns, 1)
        var mark = distinction.isEmpty ? user : distinction
        var name = member.person.span
        name.text = name.text.shortened(toColumns: space - min(mark.columns, space / 2))
        mark = mark.shortened(toColumns: space - name.text.columns) + you
        return StyledLine(spans: [.init(text: " ", style: .normal), name, .init(text: mark, style: .dim)])
    }

    // MARK: The input

    /// The rows, and where the cursor is in them.
    private var input: ScreenFrame {
        switch self.chat.mode {
        case .asking(let text):
            let question = "Paste \(TerminalText.lines(text).count) lines? y or Enter: yes, n or Escape: no "
            return ScreenFrame(rows: [StyledLine(question, .bold)], cursor: .init(row: 0, column: question.columns))
        case .searching: return self.searchPrompt
        case .typing, .reading: return self.prompt
        }
    }

    private var searchPrompt: ScreenFrame {
        let search = self.chat.search
        let found = search.text.isEmpty ? "" : "  (\(search.place ?? "not found") in what is loaded)"
        let label = "search: "
        let space = self.layout.columns - label.columns - found.columns - 1
        let text = search.text.endShown(inColumns: space)
        let spans: [StyledLine.Span] = [
            .init(text: label, style: .bold), .init(text: text, style: .normal), .init(text: found, style: .dim),
        ]
        let cursor = ScreenFrame.Position(row: 0, column: label.columns + text.columns)
        return ScreenFrame(rows: [StyledLine(spans: spans)], cursor: cursor)
    }

    private var prompt: ScreenFrame {
        let name = self.chat.me.span
        let label = name.text.columns * 3 < self.layout.columns ? [name] : []
        let width = label.reduce(2) { $0 + $1.text.columns }
        let (views, cursorLine) = self.chat.editor.lineViews(columns: self.layout.columns - width)
        // The line with the cursor is always among those that there is room for.
        let first = min(max(cursorLine - self.layout.inputRows + 1, 0), max(views.count - self.layout.inputRows, 0))
        let blanks = StyledLine.Span(text: String(repeating: " ", count: width - 2), style: .normal)
        let rows = views[first...].prefix(self.layout.inputRows).enumerated().map { row, view in
            StyledLine(
                spans: (row == 0 ? label : [blanks]) + [
                    .init(text: (row == 0 ? ">" : " ") + (view.isCutLeft ? "…" : " "), style: .dim),
                    .init(text: view.text, style: .normal),
                    .init(text: view.isCutRight ? "…" : "", style: .dim),
                ]
            )
        }
        let cursor = ScreenFrame.Position(row: cursorLine - first, column: width + views[cursorLine].cursor)
        return ScreenFrame(rows: rows, cursor: cursor)
    }
}

extension String {
    /// As much of the end as fits: where names begin in the same way, the end tells them apart.
    func endShown(inColumns limit: Int) -> String {
        guard self.columns > limit else { return self }
        var text: [Character] = []
        var columns = 1
        for character in self.reversed() {
            guard columns + character.columns <= limit else { break }
            columns += character.columns
            text.append(character)
        }
        return limit > 0 ? "…" + String(text.reversed()) : ""
    }
}
