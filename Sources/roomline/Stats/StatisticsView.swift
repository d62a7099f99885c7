import Foundation
import RoomAdmin

/// The live view of `roomline stats --watch`: what stands on the screen, row by row. Pure: statistics, a size and an order
/// come in, lines go out.
struct StatisticsView: Equatable, Sendable {
    private static let names = 14
    private static let figures = 10
    private static let ends = 8
    private static let gap = 3
    /// From here on the figures stand in two columns, and lists have a column for the ids of members.
    static let wide = 120
    /// With more rows than these, the last line is at the lower end, and the graphs take what is left.
    private static let usualRows = 24
    private static let highestGraph = 8

    let address: String
    let trend: StatisticsTrend
    /// The order of the channels.
    var order = ChannelOrder.connections
    /// Why there is nothing newer; `nil`: there is.
    let trouble: String?
    let timeZone: TimeZone

    /// - Returns: as many rows as there are at most, none wider than the screen.
    func rows(columns: Int, rows: Int) -> [StyledLine] {
        let trouble = self.troubleLines(columns)
        var lines = trouble + [self.title(columns)]
        if let newest = self.trend.newest {
            lines += newest.alarms.map { warning in
                let text = warning.text(of: newest, in: self.timeZone)
                return StyledLine(spans: [.init(text: "! \(text)".shortened(toColumns: columns), style: warning.style)])
            }
            let figureRows = self.figureRows(columns)
            let lists = self.lists(newest, columns, rows: rows - lines.count - figureRows - 2)
            let spare = rows - lines.count - figureRows - 2 - lists.count
            lines += self.figures(columns, height: Self.graphHeight(spare: spare, figures: figureRows))
            lines += [self.axis(columns)] + lists
        }
        if rows > Self.usualRows {
            lines += Array(repeating: StyledLine.normal(""), count: max(rows - lines.count - 1, 0))
        }
        if !trouble.isEmpty { lines = trouble + lines.dropFirst(trouble.count).map(\.dimmed) }
        let all = lines.prefix(max(rows - 1, 0)) + [self.footer(columns)]
        return Array(all.suffix(max(rows, 0)))
    }

    /// Graphs of several rows have a blank one between them, or they would look like one.
    private static func graphHeight(spare: Int, figures: Int) -> Int {
        guard figures > 0 else { return 1 }
        return min(max((spare + 1) / figures, 1), self.highestGraph)
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

    /// Above all, in as many rows as it takes: what stands below is old.
    private func troubleLines(_ columns: Int) -> [StyledLine] {
        self.trouble.map { StyledLine(TerminalText.line($0), .bad).rows(columns: columns) } ?? []
    }

    /// `no broker since 15:12:07: /d/admin.sock does not answer`
    static func trouble(_ failure: CommandFailure, since: Date, in timeZone: TimeZone) -> String {
        let what = failure.code == .unavailable ? "no broker" : "no statistics"
        return "\(what) since \(ClockTime(since, in: timeZone).seconds): \(failure.text)"
    }

    private func footer(_ columns: Int) -> StyledLine {
        let keys = ChannelOrder.allCases.map { "\($0.key) \($0.rawValue)" }.joined(separator: ", ")
        return StyledLine.dim("q ends; sort channels by \(keys)".shortened(toColumns: columns))
    }

    /// What time the graphs show: `the graphs show the last 4m 12s`, below their right ends.
    private func axis(_ columns: Int) -> StyledLine {
        guard let frame = self.trend.frame else { return StyledLine.normal("") }
        let text = "the graphs show the last \(ShownTime.duration(seconds: (frame.span / .seconds(1)).rounded()))"
        return StyledLine.dim(Self.right(text, columns).shortened(toColumns: columns))
    }

    /// How many figures stand below each other.
    private func figureRows(_ columns: Int) -> Int {
        let count = self.trend.figures.count
        return columns >= Self.wide ? (count + 1) / 2 : count
    }

    private func figureColumns(_ columns: Int) -> Int {
        columns >= Self.wide ? (columns - Self.gap) / 2 : columns
    }

    /// How wide a graph is in a figure of so many columns; less than one where there is no room for it.
    private static func graphColumns(_ columns: Int) -> Int {
        columns - self.names - self.figures - 2 * self.ends - 3
    }

    /// - Parameter height: of each graph.
    private func figures(_ columns: Int, height: Int) -> [StyledLine] {
        let figures = self.trend.figures
        let count = self.figureRows(columns)
        let width = self.figureColumns(columns)
        let blocks = (0..<count).map { row in
            let left = self.lines(figures[row], width, height: height)
            guard row + count < figures.count else { return left }
            return zip(left, self.lines(figures[row + count], width, height: height)).map { left, right in
                let blanks = Self.blanks(max(width - left.columns, 0) + Self.gap)
                return StyledLine(spans: left.spans + [.init(text: blanks, style: .normal)] + right.spans)
            }
        }
        return Array(blocks.joined(separator: height > 1 ? [StyledLine.normal("")] : []))
    }

    /// The figure, and how it went. Its lowest value stands at the bottom of the graph, and its highest beside the highest bar.
    private func lines(_ figure: StatisticsFigure, _ columns: Int, height: Int) -> [StyledLine] {
        let name = figure.name.padded(to: Self.names)
        let value = Self.right(figure.text, Self.figures)
        let room = Self.graphColumns(columns)
        let graph = figure.series.graph(columns: room, of: self.trend.frame)
        let spark = Sparkline(graph.values, columns: room, height: height, leastSpan: figure.format.leastSpan)
        let head = [
            StyledLine.Span(text: name.shortened(toColumns: columns), style: .dim),
            StyledLine.Span(text: value.shortened(toColumns: max(columns - Self.names, 0)), style: figure.style),
        ]
        guard room > 0, let range = spark.range else {
            return [StyledLine(spans: head)] + Array(repeating: .normal(""), count: height - 1)
        }
        let indent = [StyledLine.Span(text: Self.blanks(Self.names + Self.figures), style: .normal)]
        return spark.rows.enumerated().map { row, bars in
            let low = row == height - 1 ? figure.format.text(range.lowerBound) : ""
            let high = row == spark.highestRow ? " " + figure.format.text(range.upperBound) : ""
            return StyledLine(
                spans: (row == 0 ? head : indent) + [
                    .init(text: Self.right(low, Self.ends + 1) + " " + Self.blanks(graph.skipped), style: .dim),
                    .init(text: bars, style: figure.style == .normal ? .dim : figure.style),
                    .init(text: high, style: .dim),
                ]
            )
        }
    }

    private static func right(_ text: String, _ columns: Int) -> String {
        self.blanks(columns - text.columns) + text
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(count, 0)) }
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
