import Foundation

/// The live view of `roomline stats --watch`: what stands on the screen, row by row.
struct StatisticsView: Equatable, Sendable {
    private static let names = 15
    private static let figures = 13

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
            lines += self.lists(newest, columns, rows: rows - lines.count - 2)
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
        var figures = [
            ("connections", "\(newest.connections)", self.trend.connections),
            ("rooms", "\(newest.rooms)", self.trend.rooms),
            ("members", "\(newest.members)", self.trend.members),
            ("published/s", Self.rate(self.trend.publishRates.last), self.trend.publishRates),
            ("delivered/s", Self.rate(self.trend.deliveryRates.last), self.trend.deliveryRates),
            ("slow consumers", "\(newest.slow)", self.trend.slow),
        ]
        if let busy = newest.busy { figures.append(("held back", "\(busy)", self.trend.busy)) }
        return figures.map { name, figure, values in
            let name = name.padded(to: Self.names)
            let figure = String(repeating: " ", count: max(Self.figures - figure.count, 0)) + figure
            let room = columns - Self.names - Self.figures - 2
            return StyledLine(spans: [
                StyledLine.Span(text: name, style: .dim), StyledLine.Span(text: figure + "  ", style: .normal),
                StyledLine.Span(text: Sparkline.text(values, columns: room), style: .normal),
            ])
        }
    }

    private static func rate(_ rate: Double?) -> String {
        guard let rate else { return "-" }
        return rate < 10 && rate > 0 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate.rounded()))"
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
