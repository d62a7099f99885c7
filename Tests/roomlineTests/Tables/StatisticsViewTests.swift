import RoomClient
import Testing

@testable import roomline

@Suite struct StatisticsViewTests {
    private static let slow = [("Luke", "lobby"), ("\u{1b}[2JLeia", String(repeating: "röom-", count: 12))].map {
        AdminStatistics.SlowMember(
            channel: "shop",
            room: $1,
            id: "Kf3",
            clientData: try? JSON(encoding: ["name": $0, "color": "teal"]),
            lag: 70
        )
    }

    private static let busy = (0..<5).map { number in
        AdminStatistics.BusyConnection(
            channel: number == 1 ? nil : "shop",
            id: number == 1 ? nil : "Kf3",
            clientData: try? JSON(encoding: ["name": "Han", "color": "teal"]),
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
            time: "2026-11-21T15:12:07.120Z",
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
            channels: (0..<channels).map { .init(id: "channel-\($0)", connections: $0, rooms: 1) }
        )
    }

    private func view(
        channels: Int,
        slow: [AdminStatistics.SlowMember] = [],
        busy: [AdminStatistics.BusyConnection]? = nil,
        addresses: [AdminStatistics.BusyAddress]? = nil,
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
        return StatisticsView(address: "/d/admin.sock", trend: trend, trouble: trouble, timeZone: Golden.utc)
    }

    private func text(_ view: StatisticsView, columns: Int = 80, rows: Int = 24) -> [String] {
        view.rows(columns: columns, rows: rows).map { $0.rendered(.plain) }
    }

    @Test func `all of it is on a screen of 80 by 24`() throws {
        try Golden.expect(self.text(self.view(channels: 3)), "stats-watch")
        try Golden.expect(self.text(self.view(channels: 100, trouble: "/d/admin.sock is gone")), "stats-watch-full")
        let slow = self.view(channels: 100, slow: Self.slow).rows(columns: 80, rows: 24)
        try Golden.expect(slow.map { $0.rendered(.trueColor) }, "stats-watch-slow")
        try Golden.expect(self.text(self.view(channels: 100, busy: Self.busy)), "stats-watch-busy")
        let both = self.view(channels: 100, slow: Self.slow, busy: Self.busy)
        try Golden.expect(self.text(both), "stats-watch-slow-busy")
    }

    @Test(arguments: [(80, 24), (40, 10), (20, 5), (10, 2), (1, 1), (200, 60)])
    func `nothing is larger than the screen`(columns: Int, rows: Int) {
        let lines = self.text(
            self.view(channels: 100, slow: Self.slow, busy: Self.busy, trouble: "no broker"),
            columns: columns,
            rows: rows
        )
        #expect(lines.count <= rows)
        #expect(columns < 40 || lines.allSatisfy { $0.columns <= columns })
    }

    @Test func `addresses and rooms that use most of a loop are below the connections`() {
        let addresses = [AdminStatistics.BusyAddress(address: "192.0.2.1", connections: 3, loopPercent: 61)]
        let lines = self.text(self.view(channels: 1, busy: Self.busy, addresses: addresses), rows: 40)
        #expect(lines.contains { $0.contains("LOOP %  ADDRESS (CONNECTIONS)") })
        #expect(lines.contains { $0.contains("61  192.0.2.1 (3)") })
        #expect(lines.contains { $0.contains("61  shop/lobby") })
    }

    @Test func `a broker that was started anew has no rate below nothing`() {
        var trend = StatisticsTrend()
        trend.add(self.statistics(connections: 1, publishes: 500, channels: 1), now: .seconds(1))
        trend.add(self.statistics(connections: 1, publishes: 3, channels: 1), now: .seconds(2))
        #expect(trend.publishRates == [])
        trend.add(self.statistics(connections: 1, publishes: 8, channels: 1), now: .seconds(4))
        #expect(trend.publishRates == [2.5] && trend.deliveryRates == [25])
    }

    @Test func `the highest bar is the highest figure`() {
        #expect(Sparkline.text([0, 5, 10], columns: 10) == "▁▅█")
        #expect(Sparkline.text([1, 2, 3, 4], columns: 2) == "▆█")
        #expect(Sparkline.text([0, 0], columns: 2) == "▁▁")
        #expect(Sparkline.text([], columns: 2) == "")
    }
}
