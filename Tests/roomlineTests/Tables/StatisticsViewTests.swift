import RoomAdmin
import RoomClient
import Testing

@testable import RoomDocuments
@testable import roomline

@Suite struct StatisticsViewTests {
    private static let slow = [("Luke", "lobby"), ("\u{1b}[2JLeia", String(repeating: "röom-", count: 12))].map {
        AdminStatistics.SlowMember(
            channel: "shop",
            room: $1,
            id: "Kf3",
            clientDataBytes: (try? JSON(encoding: ["name": $0, "color": "teal"]))?.buffer,
            lag: 70
        )
    }

    private static let busy = (0..<5).map { number in
        AdminStatistics.BusyConnection(
            channel: number == 1 ? nil : "shop",
            id: number == 1 ? nil : "Kf3",
            clientDataBytes: (try? JSON(encoding: ["name": "Han", "color": "teal"]))?.buffer,
            address: number == 2 ? nil : "192.0.2.\(number)",
            loopPercent: 60 - 14 * number
        )
    }

    private func statistics(
        connections: Int,
        publishes: Int,
        channels: Int,
        slow: [AdminStatistics.SlowMember] = [],
        busy: [AdminStatistics.BusyConnection]? = nil,
        addresses: [AdminStatistics.BusyAddress]? = nil
    ) -> AdminStatistics {
        AdminStatistics(
            time: AdminTime(rawValue: "2026-11-21T15:12:07.120Z"),
            connections: connections,
            rooms: 3,
            members: connections * 2,
            slow: slow.count,
            slowest: slow,
            busy: busy?.count,
            busiest: busy,
            busiestAddresses: addresses,
            busiestRooms: addresses.map {
                $0.map { .init(channel: "shop", room: "lobby", loopPercent: $0.loopPercent) }
            },
            publishes: publishes,
            deliveries: publishes * 10,
            publishedBytes: publishes * 120,
            deliveredBytes: publishes * 1_500,
            errors: publishes / 1_000,
            stored: nil,
            channels: (0..<channels).map { number in
                .init(
                    id: "channel-\(number)",
                    connections: number,
                    rooms: 1,
                    stored: number == 2
                        ? nil
                        : .init(
                            rooms: 1,
                            messages: UInt64(number * 7 % 11) * 1_000,
                            bytes: UInt64(number * 5 % 7) * 1_100_000,
                            bytesAreEstimated: number.isMultiple(of: 2)
                        )
                )
            },
            version: "1.2.3",
            uptimeSeconds: 273_840.7,
            cpuSeconds: Double(publishes) / 100,
            residentBytes: 81_000_000 + UInt64(connections) * 1_000,
            commitP50Seconds: 0.001,
            commitP99Seconds: 0.002 + Double(connections) / 10_000
        )
    }

    private func view(
        channels: Int,
        slow: [AdminStatistics.SlowMember] = [],
        busy: [AdminStatistics.BusyConnection]? = nil,
        addresses: [AdminStatistics.BusyAddress]? = nil,
        order: ChannelOrder = .connections,
        trouble: String? = nil
    ) -> StatisticsView {
        var trend = StatisticsTrend()
        for second in 0..<60 {
            let statistics = self.statistics(
                connections: second * 20,
                publishes: second * second,
                channels: channels,
                slow: second < 30 ? [] : slow,
                busy: second < 30 ? busy.map { _ in [] } : busy,
                addresses: addresses
            )
            trend.add(statistics, now: .seconds(second))
        }
        return StatisticsView(
            address: "/d/admin.sock",
            trend: trend,
            order: order,
            trouble: trouble,
            timeZone: Golden.utc
        )
    }

    private func text(_ view: StatisticsView, columns: Int = 80, rows: Int = 24) -> [String] {
        view.rows(columns: columns, rows: rows).map { $0.rendered(.plain) }
    }

    private static let addresses = [
        AdminStatistics.BusyAddress(address: "192.0.2.1", connections: 3, loopPercent: 61),
        AdminStatistics.BusyAddress(address: "2001:db8::/64", connections: 1, loopPercent: 9),
    ]

    @Test func `all of it is on a screen of 80 by 24`() throws {
        try Golden.expect(self.text(self.view(channels: 3)), "stats-watch")
        try Golden.expect(self.text(self.view(channels: 100, trouble: "/d/admin.sock is gone")), "stats-watch-full")
        let slow = self.view(channels: 100, slow: Self.slow).rows(columns: 80, rows: 24)
        try Golden.expect(slow.map { $0.rendered(.trueColor) }, "stats-watch-slow")
        try Golden.expect(self.text(self.view(channels: 100, busy: Self.busy)), "stats-watch-busy")
        let all = self.view(channels: 100, slow: Self.slow, busy: Self.busy, addresses: Self.addresses)
        try Golden.expect(self.text(all), "stats-watch-slow-busy")
    }

    @Test func `what somebody should look at is above all figures`() throws {
        var statistics = self.statistics(connections: 2, publishes: 10, channels: 1)
        statistics.certificateExpires = "2026-11-20T00:00:00.000Z"
        statistics.diskFreeBytes = 99_000_000
        statistics.diskBytes = 40_000_000_000
        statistics.warnings = ["certificate_expired", "disk_space", "a_word"]
        var trend = StatisticsTrend()
        trend.add(statistics, now: .seconds(1))
        let view = StatisticsView(address: "/d/admin.sock", trend: trend, trouble: nil, timeZone: Golden.utc)
        let lines = view.rows(columns: 80, rows: 24)
        #expect(
            lines[1...3].map { $0.rendered(.plain) } == [
                "! the certificate expired on 2026-11-20 00:00:00 +00:00: clients refuse it",
                "! little room is left on the disk (94.4 MiB)", "! a_word",
            ]
        )
        #expect(lines[1...3].map { $0.spans.first?.style } == [.bad, .warning, .warning])
        #expect(lines[4].rendered(.plain).hasPrefix("connections"))
        let sheet = StatisticsTables.sheet(statistics, in: Golden.utc).lines(.plain)
        #expect(sheet[0].hasPrefix("warnings") && sheet[0].hasSuffix("clients refuse it"))
        #expect(sheet.contains { $0.hasPrefix("disk") && $0.hasSuffix("94.4 MiB free of 37.3 GiB") })
        #expect(sheet.last?.hasSuffix("expires 2026-11-20 00:00:00 +00:00") == true)
    }

    @Test func `a disk with no room is red where messages cannot be stored`() {
        var statistics = self.statistics(connections: 2, publishes: 10, channels: 1)
        statistics.warnings = ["storage_unavailable", "disk_space", "configuration_reload_failed", "draining"]
        #expect(statistics.alarms.map(\.style) == [.bad, .bad, .warning, .warning])
        let words = Set(statistics.warnings ?? [])
        #expect(statistics.alarms.allSatisfy { !words.contains($0.text(of: statistics, in: Golden.utc)) })
    }

    @Test func `a broker that is gone is told in full above old figures`() throws {
        let since = try #require(AdminTime(rawValue: "2026-11-21T15:12:09.000Z").date)
        let text = "the broker of /var/lib/roomline/admin.sock does not run; \"roomline serve\" starts it again"
        let trouble = StatisticsView.trouble(.init(code: .unavailable, text: text), since: since, in: Golden.utc)
        let lines = self.view(channels: 3, slow: Self.slow, trouble: trouble).rows(columns: 80, rows: 24)
        let told = lines.prefix { $0.spans.contains { $0.style == .bad } }
        #expect(told.map(\.text).joined(separator: " ").hasPrefix("no broker since 15:12:09: the broker of /var/lib"))
        #expect(told.last?.text.hasSuffix("starts it again") == true)
        #expect(lines.dropFirst(told.count).allSatisfy { $0.spans.allSatisfy { $0.style == .dim } })
        let refused = StatisticsView.trouble(.init(code: .refused, text: "x"), since: since, in: Golden.utc)
        #expect(refused == "no statistics since 15:12:09: x")
    }

    @Test(
        arguments: [(1 << 30, .normal), ((1 << 30) - 1, .warning), ((100 << 20) - 1, .bad)] as [(Int, StyledLine.Style)]
    )
    func `little room has a colour`(_ bytes: Int, _ style: StyledLine.Style) throws {
        var statistics = self.statistics(connections: 2, publishes: 10, channels: 1)
        statistics.diskFreeBytes = UInt64(bytes)
        var trend = StatisticsTrend()
        trend.add(statistics, now: .seconds(1))
        #expect(try #require(trend.figures.first { $0.name == "disk free" }).style == style)
    }

    @Test func `who only waits for a turn is not alarming`() throws {
        func style(_ percent: Int) throws -> StyledLine.Style {
            let busy = AdminStatistics.BusyConnection(
                channel: nil,
                id: nil,
                clientDataBytes: nil,
                address: nil,
                loopPercent: percent
            )
            var trend = StatisticsTrend()
            trend.add(self.statistics(connections: 2, publishes: 10, channels: 1, busy: [busy]), now: .seconds(1))
            return try #require(trend.figures.first { $0.name == "held back" }).style
        }
        #expect(try style(3) == .normal)
        #expect(try style(50) == .warning)
    }

    @Test func `a long address leaves room for the version and the time`() {
        let view = StatisticsView(
            address: "/var/lib/roomline/\(String(repeating: "long/", count: 20))admin.sock",
            trend: self.view(channels: 1).trend,
            trouble: nil,
            timeZone: Golden.utc
        )
        let title = self.text(view)[0]
        #expect(title.columns == 80 && title.hasPrefix("/var/lib/"))
        #expect(title.hasSuffix("…  roomline 1.2.3, up 3d 4h  2026-11-21 15:12:07 +00:00"))
    }

    @Test func `a wide screen has the ids of members`() {
        let view = self.view(channels: 1, slow: Self.slow, busy: Self.busy)
        let (narrow, wide) = (self.text(view, columns: 119), self.text(view, columns: 120))
        #expect(narrow.allSatisfy { !$0.contains("Kf3") && !$0.contains("MEMBER") })
        #expect(wide.count { $0.contains("  Kf3 ") } == 6 && wide.count { $0.contains("  MEMBER ") } == 2)
    }

    @Test func `a large screen has two columns of figures and longer lists`() throws {
        let all = self.view(channels: 100, slow: Self.slow, busy: Self.busy, addresses: Self.addresses, order: .bytes)
        try Golden.expect(self.text(all, columns: 160, rows: 50), "stats-watch-large")
    }

    @Test func `rows that are left make the graphs higher, and the keys stand in the last one`() throws {
        let few = self.view(channels: 2, slow: Self.slow)
        try Golden.expect(self.text(few, columns: 160, rows: 50), "stats-watch-large-few")
        let narrow = self.text(few, columns: 80, rows: 50)
        #expect(narrow.count == 50 && narrow.last?.hasPrefix("q ends") == true)
        let none = StatisticsView(address: "/d", trend: StatisticsTrend(), trouble: "gone", timeZone: Golden.utc)
        #expect(self.text(none, columns: 80, rows: 50).last?.hasPrefix("q ends") == true)
    }

    @Test(
        arguments: [
            (.connections, ["channel-4", "channel-3", "channel-2"]), (.rooms, ["channel-0", "channel-1", "channel-2"]),
            (.messages, ["channel-3", "channel-1", "channel-4"]), (.bytes, ["channel-4", "channel-1", "channel-3"]),
            (.name, ["channel-0", "channel-1", "channel-2"]),
        ] as [(ChannelOrder, [String])]
    )
    func `a key sorts the channels`(_ order: ChannelOrder, _ first: [String]) throws {
        let key = try #require(order.key.asciiValue)
        #expect(ChannelOrder(key: key) == order && ChannelOrder(key: key - 32) == order)
        let lines = self.text(self.view(channels: 5, order: order), rows: 40)
        let head = try #require(lines.firstIndex { $0.hasSuffix("CHANNEL") })
        #expect(lines[head].contains("▾"))
        #expect(lines[(head + 1)...].prefix(3).compactMap { $0.split(separator: " ").last.map(String.init) } == first)
    }

    @Test func `other keys sort nothing`() {
        #expect(ChannelOrder(key: UInt8(ascii: "x")) == nil && ChannelOrder(key: 0x1b) == nil)
    }

    @Test func `what an older broker does not tell is not shown`() throws {
        var trend = StatisticsTrend()
        let old: AdminStatistics = try Golden.document(
            #"{"time":"2026-11-21T15:12:07.120Z","connections":1,"rooms":1,"members":1,"slow":0,"slowest":[],"#
                + #""publishes":0,"deliveries":0,"channels":[]}"#
        )
        for second in 0..<3 { trend.add(old, now: .seconds(second)) }
        #expect(
            trend.figures.map(\.name) == [
                "connections", "rooms", "members", "published/s", "delivered/s", "slow consumers",
            ]
        )
    }

    @Test(
        arguments: [(0, .normal), (99, .normal), (100, .warning), (249, .warning), (250, .bad)]
            as [(Double, StyledLine.Style)]
    )
    func `a slow disk has a colour`(_ milliseconds: Double, _ style: StyledLine.Style) {
        var series = StatisticsSeries()
        series.append(1, at: .zero)
        series.append(milliseconds, at: .seconds(1))
        let figure = StatisticsFigure("commit p99", .milliseconds, series, alarms: (100, 250))
        #expect(figure.style == style)
    }

    @Test(
        arguments: [
            (.count, 99_999, "99999"), (.count, 100_000, "100k"), (.count, 1_240_000, "1.2M"), (.rate, 0, "0"),
            (.rate, 2.46, "2.5"), (.rate, 117.4, "117"), (.bytesPerSecond, 1_234, "1.2 KiB"), (.percent, 12.6, "13 %"),
            (.milliseconds, 2.04, "2.0 ms"), (.milliseconds, 250, "250 ms"),
        ] as [(StatisticsFigure.Format, Double, String)]
    )
    func `a figure is short`(_ format: StatisticsFigure.Format, _ value: Double, _ text: String) {
        #expect(format.text(value) == text)
    }

    @Test(arguments: [(80, 24), (40, 10), (20, 5), (10, 2), (1, 1), (200, 60)])
    func `nothing is larger than the screen`(columns: Int, rows: Int) {
        let lines = self.text(
            self.view(
                channels: 100,
                slow: Self.slow,
                busy: Self.busy,
                addresses: Self.addresses,
                trouble: "no broker"
            ),
            columns: columns,
            rows: rows
        )
        #expect(lines.count <= rows)
        #expect(columns < 40 || lines.allSatisfy { $0.columns <= columns })
    }

    @Test func `a broker that was started anew has no rate below nothing`() {
        var trend = StatisticsTrend()
        trend.add(self.statistics(connections: 1, publishes: 500, channels: 1), now: .seconds(1))
        trend.add(self.statistics(connections: 1, publishes: 3, channels: 1), now: .seconds(2))
        #expect(trend.publishRates.values == [])
        trend.add(self.statistics(connections: 1, publishes: 8, channels: 1), now: .seconds(4))
        #expect(trend.publishRates.values == [2.5] && trend.deliveryRates.values == [25])
    }

    @Test func `the view begins with the hour that the broker knows, and goes on with what comes`() throws {
        let list: AdminFigureList = try Golden.document(
            "{\"samples\":[\((0..<720).map(self.sample).joined(separator: ","))]}"
        )
        var trend = StatisticsTrend()
        trend.begin(with: list.samples, now: .seconds(2)) { time in
            time.rawValue.split(separator: "-").last.flatMap { Int($0) }.map { .seconds(3_595 - $0 * 5) }
        }
        #expect(trend.connections.values.count == 720 && trend.figures.isEmpty)
        for second in 0..<3 {
            let statistics = self.statistics(connections: 720, publishes: second * 10, channels: 1)
            trend.add(statistics, now: .seconds(2 + second))
        }
        let view = StatisticsView(address: "/d", trend: trend, trouble: nil, timeZone: Golden.utc)
        let rows = self.text(view)
        #expect(rows.contains { $0.hasSuffix("the graphs show the last 59m 57s") })
        #expect(rows[1].contains(" ▁▁▁") && rows[1].contains("███ "), "\(rows[1])")
        // of what it does not keep there is only what came since
        let processor = try #require(rows.first { $0.hasPrefix("CPU") })
        #expect(processor.filter { "▁▂▃▄▅▆▇█".contains($0) }.count == 1, "\(processor)")
        #expect(trend.publishRates.values.suffix(2) == [10, 10])
    }

    private func sample(_ number: Int) -> String {
        #"{"time":"-\#(number)","connections":\#(number),"wire_formats":{},"rooms":1,"members":2,"publishes":3}"#
    }

    @Test func `a graph that is too narrow has the highest of each time, and begins where its figure began`() {
        var series = StatisticsSeries()
        for second in 4..<10 { series.append(Double(second), at: .seconds(second)) }
        let frame = StatisticsSeries.Frame(start: .zero, end: .seconds(9), points: 10)
        #expect(series.graph(columns: 5, of: frame) == ([5, 7, 9], 2))
        #expect(series.graph(columns: 10, of: frame) == ([4, 5, 6, 7, 8, 9], 4))
    }

    @Test func `what is older than an hour goes`() {
        var series = StatisticsSeries()
        for minute in 0..<70 { series.append(Double(minute), at: .seconds(minute * 60)) }
        #expect(series.values.first == 9 && series.values.count == 61)
    }

    @Test func `the bars go from the lowest to the highest figure that is shown`() {
        #expect(Sparkline([0, 5, 10], columns: 10).rows == ["▁▅█"])
        #expect(Sparkline([100, 105, 120], columns: 10).rows == ["▁▃█"])
        #expect(Sparkline([0, 5, 10], columns: 10, height: 2).rows == [" ▁█", "▁██"])
        #expect(Sparkline([1, 2, 3, 4], columns: 2) == Sparkline([3, 4], columns: 9))
        #expect(Sparkline([1, 2, 3, 4], columns: 2).range == 3...4)
    }

    @Test func `noise stays at the bottom, and its ends are told`() {
        let noise = Sparkline([100, 101, 102], columns: 10)
        #expect(noise.rows == ["▁▂▂"] && noise.range == 100...102)
        let high = Sparkline([100, 101, 102], columns: 10, height: 3)
        #expect(
            high.rows == ["   ", "   ", "▁▃▆"] && high.highestRow == 2,
            "the highest value stands where its bar ends"
        )
        #expect(Sparkline([100, 120], columns: 10, height: 3).highestRow == 0)
        #expect(Sparkline([1, 2], columns: 10, leastSpan: 10).rows == ["▁▂"])
        #expect(Sparkline([1, 41], columns: 10, leastSpan: 10).rows == ["▁█"])
    }

    @Test func `what does not change is no wall`() {
        #expect(Sparkline([7, 7], columns: 2, height: 3).rows == ["  ", "  ", "▁▁"])
        #expect(Sparkline([], columns: 2).rows.isEmpty && Sparkline([], columns: 2).range == nil)
        #expect(Sparkline([1], columns: -1).range == nil)
    }
}
