import Foundation
import RoomAdmin

/// The live view of `roomline stats --watch`: what stands on the screen, row by row. Pure: statistics, a size and an order
/// come in, lines go out.
struct StatisticsView: Equatable, Sendable {
    private static let names = 14
    private static let figures = 10
    private static let ends = 8
    private static let gap = 3
    /// From here on the figures stand in two columns.
    private static let wide = 120

    let address: String
    let trend: StatisticsTrend
    /// The order of the channels.
    var order = ChannelOrder.connections
    /// Why there is nothing newer; `nil`: there is.
    let trouble: String?
    let timeZone: TimeZone

    /// - Returns: as many rows as there are at most, none wider than the screen.
    func rows(columns: Int, rows: Int) -> [StyledLine] {
        var lines = [self.title(columns)]
        if let newest = self.trend.newest {
            lines += newest.alarms.map { warning in
                let text = warning.text(of: newest, in: self.timeZone)
                return StyledLine(spans: [.init(text: "! \(text)".shortened(toColumns: columns), style: warning.style)])
            }
            lines += self.figures(columns) + [StyledLine.normal("")]
            lines += self.lists(newest, columns, rows: rows - lines.count - 1)
        }
        let all = lines.prefix(max(rows - 1, 0)) + [self.footer(columns)]
        return Array(all.suffix(max(rows, 0)))
    }

    /// `/d/admin.sock  roomline 1.2.3, up 3d 4h      2026-11-21 15:12:07 +00:00`
    private func title(_ columns: Int) -> StyledLine {
        let time = self.trend.newest.map { ShownTime.moment($0.time, in: self.timeZone) } ?? ""
        var broker = ""
        if let newest = self.trend.newest, let version = newest.version, let uptime = newest.uptimeSeconds {
            let time = ShownTime.duration(seconds: uptime.rounded(.down))
            broker = "  roomline \(TerminalText.line(version)), up \(time)"
        }
        // a path is the longest of the three, and the one that its reader has typed
        let room = max(columns - time.count - 2 - broker.columns, 0)
        let name = TerminalText.line(self.address).shortened(toColumns: room) + broker
        let blanks = String(repeating: " ", count: max(columns - name.columns - time.columns, 1))
        return StyledLine.normal((name + blanks + time).shortened(toColumns: columns))
    }

    private func footer(_ columns: Int) -> StyledLine {
        if let trouble = self.trouble {
            let text = "q ends; trying again: \(TerminalText.line(trouble))"
            return StyledLine(spans: [.init(text: text.shortened(toColumns: columns), style: .bad)])
        }
        let keys = ChannelOrder.allCases.map { "\($0.key) \($0.rawValue)" }.joined(separator: ", ")
        return StyledLine.dim("q ends; sort channels by \(keys)".shortened(toColumns: columns))
    }

    private func figures(_ columns: Int) -> [StyledLine] {
        let figures = self.trend.figures
        guard columns >= Self.wide else { return figures.map { Self.line($0, columns) } }
        let height = (figures.count + 1) / 2
        let width = (columns - Self.gap) / 2
        return (0..<height).map { row in
            var line = Self.line(figures[row], width)
            guard row + height < figures.count else { return line }
            let blanks = String(repeating: " ", count: max(width - line.columns, 0) + Self.gap)
            line.spans.append(StyledLine.Span(text: blanks, style: .normal))
            line.spans += Self.line(figures[row + height], width).spans
            return line
        }
    }

    /// The figure, and how it went between its lowest and its highest value.
    private static func line(_ figure: StatisticsFigure, _ columns: Int) -> StyledLine {
        let name = figure.name.padded(to: self.names)
        let value = self.right(figure.text, self.figures)
        let room = columns - self.names - self.figures - 2 * self.ends - 3
        let spark = Sparkline(figure.values, columns: room)
        var spans = [
            StyledLine.Span(text: name.shortened(toColumns: columns), style: .dim),
            StyledLine.Span(text: value.shortened(toColumns: max(columns - self.names, 0)), style: figure.style),
        ]
        if room > 0, let range = spark.range {
            let low = self.right(figure.format.text(range.lowerBound), self.ends + 1)
            spans += [
                StyledLine.Span(text: low + " ", style: .dim),
                StyledLine.Span(text: spark.text, style: figure.style == .normal ? .dim : figure.style),
                StyledLine.Span(text: " " + figure.format.text(range.upperBound), style: .dim),
            ]
        }
        return StyledLine(spans: spans)
    }

    private static func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(columns - text.columns, 0)) + text
    }
}

/// By what the channels of the live view are sorted, by the key that chooses it.
enum ChannelOrder: String, CaseIterable, Sendable {
    case connections
    case rooms
    case messages
    case bytes
    case name

    var key: Character {
        switch self {
        case .connections: "c"
        case .rooms: "r"
        case .messages: "m"
        case .bytes: "b"
        case .name: "n"
        }
    }

    init?(key: UInt8) {
        let key = Character(Unicode.Scalar(key)).lowercased()
        guard let order = Self.allCases.first(where: { String($0.key) == key }) else { return nil }
        self = order
    }

    /// The most first, and by name where they are equal.
    func isBefore(_ left: AdminStatistics.Channel, _ right: AdminStatistics.Channel) -> Bool {
        let (first, second) = (self.figure(left), self.figure(right))
        return first == second ? left.id < right.id : first > second
    }

    private func figure(_ channel: AdminStatistics.Channel) -> UInt64 {
        switch self {
        case .connections: UInt64(max(channel.connections, 0))
        case .rooms: UInt64(max(channel.rooms, 0))
        case .messages: channel.stored?.messages ?? 0
        case .bytes: channel.stored?.bytes ?? 0
        case .name: 0
        }
    }
}
