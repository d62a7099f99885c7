import Foundation

/// The live view of `roomline stats --watch`: what stands on the screen, row by row.
struct StatisticsView: Equatable, Sendable {
    private static let names = 15
    private static let figures = 13
    private static let places = 40

    let address: String
    let trend: StatisticsTrend
    /// Why there is nothing newer; `nil`: there is.
    let trouble: String?
    let timeZone: TimeZone

    /// - Returns: as many rows as there are at most, none wider than the screen.
    func rows(columns: Int, rows: Int) -> [StyledLine] {
        var lines = [self.title(columns), StyledLine.normal("")]
        if let newest = self.trend.newest {
            lines += self.figures(newest, columns) + [StyledLine.normal("")]
            let slowest = self.slowest(newest, columns, rows: (rows - lines.count - 2) / 2)
            lines += self.channels(newest, columns, rows: rows - lines.count - 2 - slowest.count) + slowest
        }
        let all = lines.prefix(max(rows - 2, 0)) + [StyledLine.normal(""), self.footer(columns)]
        return Array(all.suffix(max(rows, 0)))
    }

    private func title(_ columns: Int) -> StyledLine {
        let time = self.trend.newest.map { ShownTime.moment($0.time, in: self.timeZone) } ?? ""
        let name = TerminalText.line(self.address).shortened(toColumns: max(columns - time.count - 2, 0))
        let blanks = String(repeating: " ", count: max(columns - name.columns - time.columns, 1))
        return StyledLine.normal((name + blanks + time).shortened(toColumns: columns))
    }

    private func footer(_ columns: Int) -> StyledLine {
        let text = self.trouble.map { "q ends; trying again: \(TerminalText.line($0))" } ?? "q ends"
        return StyledLine.dim(text.shortened(toColumns: columns))
    }

    private func figures(_ newest: AdminStatistics, _ columns: Int) -> [StyledLine] {
        [
            ("connections", "\(newest.connections)", self.trend.connections),
            ("rooms", "\(newest.rooms)", self.trend.rooms),
            ("members", "\(newest.members)", self.trend.members),
            ("published/s", Self.rate(self.trend.publishRates.last), self.trend.publishRates),
            ("delivered/s", Self.rate(self.trend.deliveryRates.last), self.trend.deliveryRates),
            ("slow consumers", "\(newest.slow)", self.trend.slow),
        ].map { name, figure, values in
            let name = name.padded(to: Self.names)
            let figure = String(repeating: " ", count: max(Self.figures - figure.count, 0)) + figure
            let room = columns - Self.names - Self.figures - 2
            return StyledLine(spans: [
                StyledLine.Span(text: name, style: .dim), StyledLine.Span(text: figure + "  ", style: .normal),
                StyledLine.Span(text: Sparkline.text(values, columns: room), style: .normal),
            ])
        }
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

    /// Those who are furthest behind, under a blank row; nothing where nobody is.
    private func slowest(_ newest: AdminStatistics, _ columns: Int, rows: Int) -> [StyledLine] {
        let shown = newest.slowest.prefix(max(rows - 2, 0))
        guard !shown.isEmpty else { return [] }
        let lines = shown.map { member in
            let place = Self.place("\(member.lag)", TerminalText.line("\(member.channel)/\(member.room)"))
            let room = columns - place.columns - 2
            guard room > 0 else { return StyledLine.normal(place.shortened(toColumns: columns)) }
            var name = member.person.span
            name.text = name.text.shortened(toColumns: room)
            return StyledLine(spans: [StyledLine.Span(text: place + "  ", style: .normal), name])
        }
        let head = Self.place("LAG", "ROOM") + "  NAME"
        return [StyledLine.normal(""), StyledLine.dim(head.shortened(toColumns: columns))] + lines
    }

    private static func place(_ lag: String, _ room: String) -> String {
        let blanks = String(repeating: " ", count: max(11 - lag.count, 0))
        return blanks + lag + "  " + room.shortened(toColumns: self.places).padded(to: self.places)
    }

    private static func channel(_ connections: String, _ rooms: String, _ id: String) -> String {
        let numbers = [(connections, 11), (rooms, 9)].map { text, width in
            String(repeating: " ", count: max(width - text.count, 0)) + text
        }
        return numbers.joined() + "  " + id
    }

    private static func rate(_ rate: Double?) -> String {
        guard let rate else { return "-" }
        return rate < 10 && rate > 0 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate.rounded()))"
    }
}

extension String {
    fileprivate func padded(to columns: Int) -> String {
        self + String(repeating: " ", count: max(columns - self.columns, 0))
    }
}

/// Figures as a row of bars, the newest at the right end.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// - Parameter columns: how many of the newest are shown.
    static func text(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(max(columns, 0))
        let highest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard highest > 0 else { return self.bars[0] }
                return self.bars[Int((value / highest * Double(self.bars.count - 1)).rounded())]
            }
        )
    }
}
