import Foundation

/// The lists below the figures: channels, slow consumers, busy connections, addresses and rooms.
extension StatisticsView {
    private static let places = 40

    /// The lists that have something to show, in as many rows.
    func lists(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let hasSlow = !newest.slowest.isEmpty
        let busiest = self.busiest(newest, columns, rows: rows / (hasSlow ? 3 : 2))
        let slowest = self.slowest(newest, columns, rows: (rows - busiest.count) / 2)
        var left = rows - slowest.count - busiest.count
        let addresses = self.busiestAddresses(newest, columns, rows: left / 3)
        left -= addresses.count
        let rooms = self.busiestRooms(newest, columns, rows: left / 2)
        return self.channels(newest, columns, rows: left - rooms.count) + slowest + busiest + addresses + rooms
    }

    /// The channels with the most connections, as many as have room.
    private func channels(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let ranked = newest.channels.sorted { ($1.connections, $0.id) < ($0.connections, $1.id) }
        // The head is one row, and so is the note on those that have none.
        let room = ranked.count < rows ? ranked.count : max(rows - 2, 0)
        let head = Self.channel("CONNECTIONS", "ROOMS", "CHANNEL")
        let lines = ranked.prefix(room).map { channel in
            StyledLine.normal(
                Self.channel("\(channel.connections)", "\(channel.rooms)", TerminalText.line(channel.id))
                    .shortened(toColumns: columns)
            )
        }
        let rest = ranked.count - room
        let note = rest > 0 ? [StyledLine.dim("and \(rest) more channels".shortened(toColumns: columns))] : []
        return [StyledLine.dim(head.shortened(toColumns: columns))] + lines + note
    }

    /// The members that are furthest behind, under a blank row; nothing where none is.
    private func slowest(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let lines = newest.slowest.prefix(max(rows - 2, 0)).map { member in
            Self.row("\(member.lag)", "\(member.channel)/\(member.room)", member.person, columns)
        }
        return Self.list(lines, under: Self.place("LAG", "ROOM"), columns)
    }

    /// The connections that use most of an event loop, under a blank row; nothing where none has to wait.
    private func busiest(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let lines = (newest.busiest ?? []).prefix(max(rows - 2, 0)).map { connection in
            let place = [connection.channel, connection.address].compactMap(\.self).joined(separator: " ")
            return Self.row("\(connection.loopPercent)", place, connection.person, columns)
        }
        return Self.list(lines, under: Self.place("LOOP %", "CONNECTION"), columns)
    }

    /// The addresses whose connections use most of an event loop; nothing where none has to wait.
    private func busiestAddresses(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let lines = (newest.busiestAddresses ?? []).prefix(max(rows - 2, 0)).map { address in
            Self.row("\(address.loopPercent)", "\(address.address) (\(address.connections))", nil, columns)
        }
        return Self.list(lines, under: Self.place("LOOP %", "ADDRESS (CONNECTIONS)"), name: "", columns)
    }

    /// The rooms that cost most of an event loop; nothing where none costs a hundredth.
    private func busiestRooms(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let lines = (newest.busiestRooms ?? []).prefix(max(rows - 2, 0)).map { room in
            Self.row("\(room.loopPercent)", "\(room.channel)/\(room.room)", nil, columns)
        }
        return Self.list(lines, under: Self.place("LOOP %", "ROOM"), name: "", columns)
    }

    private static func list(
        _ lines: [StyledLine],
        under head: String,
        name: String = "  NAME",
        _ columns: Int
    ) -> [StyledLine] {
        guard !lines.isEmpty else { return [] }
        return [StyledLine.normal(""), StyledLine.dim((head + name).shortened(toColumns: columns))] + lines
    }

    private static func row(_ figure: String, _ place: String, _ person: Person?, _ columns: Int) -> StyledLine {
        let place = self.place(figure, TerminalText.line(place))
        let room = columns - place.columns - 2
        guard room > 0, var name = person?.span else { return StyledLine.normal(place.shortened(toColumns: columns)) }
        name.text = name.text.shortened(toColumns: room)
        return StyledLine(spans: [StyledLine.Span(text: place + "  ", style: .normal), name])
    }

    private static func place(_ figure: String, _ place: String) -> String {
        let blanks = String(repeating: " ", count: max(11 - figure.count, 0))
        return blanks + figure + "  " + place.shortened(toColumns: self.places).padded(to: self.places)
    }

    private static func channel(_ connections: String, _ rooms: String, _ id: String) -> String {
        let numbers = [(connections, 11), (rooms, 9)].map { text, width in
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        return numbers.joined() + "  " + id
    }
}
