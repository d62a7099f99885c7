import Foundation
import RoomAdmin
import RoomModel

/// The lists below the figures: channels, slow consumers, busy rooms, connections and addresses.
extension StatisticsView {
    /// Where there are fewer rows, no list has a blank one above it.
    private static let roomy = 16
    /// The width of the ids of members.
    private static let ids = 16

    /// A head, and what stands under it.
    private struct List {
        let head: StyledLine
        let lines: [StyledLine]
        /// The line in the place of the last line where some are left out; `nil`: none.
        var rest: ((Int) -> StyledLine)?

        /// - Parameter count: how many lines are shown, one at least.
        func shown(_ count: Int) -> [StyledLine] {
            guard count < self.lines.count, count > 1, let rest else { return [self.head] + self.lines.prefix(count) }
            return [self.head] + self.lines.prefix(count - 1) + [rest(self.lines.count - count + 1)]
        }
    }

    /// The lists that have something to show, in as many rows.
    func lists(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let lists = [
            self.channels(newest, columns), self.slowest(newest, columns), self.busiestRooms(newest, columns),
            self.busiest(newest, columns), self.busiestAddresses(newest, columns),
        ].compactMap(\.self)
        let blank = rows < Self.roomy ? [] : [StyledLine.normal("")]
        let counts = Self.shares(of: rows, among: lists.map(\.lines.count), beside: 1 + blank.count)
        var lines: [StyledLine] = []
        for (list, count) in zip(lists, counts) where count > 0 {
            lines += (lines.isEmpty ? [] : blank) + list.shown(count)
        }
        return lines
    }

    /// How many lines each list gets: one each, the first ones first, and then in turns.
    ///
    /// - Parameter head: rows that a list takes beside its lines.
    private static func shares(of rows: Int, among lists: [Int], beside head: Int) -> [Int] {
        var (left, counts) = (rows, lists.map { _ in 0 })
        for index in lists.indices where left > head && lists[index] > 0 {
            counts[index] = 1
            left -= head + 1
        }
        while left > 0 {
            let before = left
            for index in lists.indices where left > 0 && counts[index] > 0 && counts[index] < lists[index] {
                counts[index] += 1
                left -= 1
            }
            if left == before { break }
        }
        return counts
    }

    // MARK: Channels

    /// In the order that was chosen.
    private func channels(_ newest: AdminStatistics, _ columns: Int) -> List? {
        let ranked = newest.channels.sorted { self.order.isBefore($0, $1) }
        let lines = ranked.map { channel in
            let stored = channel.stored
            let figures = [
                "\(channel.connections)", "\(channel.rooms)", stored.map { "\($0.messages)" } ?? "-",
                stored.map { ShownSize.text($0.bytes, isEstimate: $0.bytesAreEstimated) } ?? "-",
            ]
            return StyledLine.normal(Self.channel(figures, TerminalText.line(channel.id)).shortened(toColumns: columns))
        }
        return List(head: StyledLine.dim(self.channelHead.shortened(toColumns: columns)), lines: lines) { count in
            StyledLine.dim("and \(Counted.text(count, "more channel"))".shortened(toColumns: columns))
        }
    }

    /// With a mark at what they are sorted by.
    private var channelHead: String {
        let heads = [
            ("CONNECTIONS", ChannelOrder.connections), ("ROOMS", .rooms), ("MESSAGES", .messages), ("STORED", .bytes),
        ].map { head, order in (order == self.order ? "▾" : "") + head }
        return Self.channel(heads, (self.order == .name ? "▾" : "") + "CHANNEL")
    }

    private static func channel(_ figures: [String], _ id: String) -> String {
        let numbers = zip(figures, [12, 8, 12, 10]).map { text, width in
            String(repeating: " ", count: max(width - text.columns, 0)) + text
        }
        return numbers.joined() + "  " + id
    }

    // MARK: Slow and busy ones

    /// The members that are furthest behind; nothing where none is.
    private func slowest(_ newest: AdminStatistics, _ columns: Int) -> List? {
        let lines = newest.slowest.map { member in
            Self.row("\(member.lag)", "\(member.channel)/\(member.room)", member.person, columns, .warning)
        }
        return Self.list(
            lines,
            under: Self.place("LAG", "SLOW IN ROOM", columns),
            name: Self.memberHead(columns),
            columns
        )
    }

    /// The rooms that cost most of an event loop; nothing where none costs a hundredth.
    private func busiestRooms(_ newest: AdminStatistics, _ columns: Int) -> List? {
        let lines = (newest.busiestRooms ?? []).map { room in
            Self.row("\(room.loopPercent)", "\(room.channel)/\(room.room)", nil, columns, Self.style(room.loopPercent))
        }
        return Self.list(lines, under: Self.place("LOOP %", "ROOM", columns), columns)
    }

    /// The connections that use most of an event loop; nothing where none has to wait.
    private func busiest(_ newest: AdminStatistics, _ columns: Int) -> List? {
        let lines = (newest.busiest ?? []).map { connection in
            let place = [connection.channel, connection.address].compactMap(\.self).joined(separator: " ")
            let style = Self.style(connection.loopPercent)
            return Self.row("\(connection.loopPercent)", place, connection.person, columns, style)
        }
        return Self.list(
            lines,
            under: Self.place("LOOP %", "CONNECTION", columns),
            name: Self.memberHead(columns),
            columns
        )
    }

    /// The addresses whose connections use most of an event loop; nothing where none has to wait.
    private func busiestAddresses(_ newest: AdminStatistics, _ columns: Int) -> List? {
        let lines = (newest.busiestAddresses ?? []).map { address in
            let place = "\(address.address) (\(address.connections))"
            return Self.row("\(address.loopPercent)", place, nil, columns, Self.style(address.loopPercent))
        }
        return Self.list(lines, under: Self.place("LOOP %", "ADDRESS (CONNECTIONS)", columns), columns)
    }

    /// The style for the load of one event loop.
    private static func style(_ percent: Int) -> StyledLine.Style {
        percent >= 80 ? .bad : percent >= 50 ? .warning : .normal
    }

    /// The head over the persons of a list.
    private static func memberHead(_ columns: Int) -> String {
        (columns < self.wide ? "" : "  " + "MEMBER".padded(to: self.ids)) + "  NAME"
    }

    private static func list(
        _ lines: [StyledLine],
        under head: String,
        name: String = "",
        _ columns: Int
    ) -> List? {
        guard !lines.isEmpty else { return nil }
        return List(head: StyledLine.dim(self.unpadded(head + name).shortened(toColumns: columns)), lines: lines)
    }

    private static func row(
        _ figure: String,
        _ place: String,
        _ person: Person?,
        _ columns: Int,
        _ style: StyledLine.Style
    ) -> StyledLine {
        var place = self.place(figure, TerminalText.line(place), columns)
        if columns >= self.wide, let person {
            let id = TerminalText.line(person.id).shortened(toColumns: self.ids)
            place += "  " + id.padded(to: self.ids)
        }
        let room = columns - place.columns - 2
        guard room > 0, var name = person?.span else {
            return StyledLine(spans: [.init(text: Self.unpadded(place).shortened(toColumns: columns), style: style)])
        }
        name.text = name.text.shortened(toColumns: room)
        return StyledLine(spans: [StyledLine.Span(text: place + "  ", style: style), name])
    }

    /// Without the blanks at its end.
    private static func unpadded(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    private static func place(_ figure: String, _ place: String, _ columns: Int) -> String {
        let blanks = String(repeating: " ", count: max(12 - figure.count, 0))
        // beside the figure, and the id and the name of a person
        let room = max(40, columns - 60 - (columns < self.wide ? 0 : self.ids + 2))
        return blanks + figure + "  " + place.shortened(toColumns: room).padded(to: room)
    }
}
