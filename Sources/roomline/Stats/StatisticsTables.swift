import Foundation

/// Statistics as people read them.
enum StatisticsTables {
    static func sheet(_ statistics: AdminStatistics, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("time", Cell(ShownTime.moment(statistics.time, in: timeZone)))
        sheet.add("connections", Cell(statistics.connections))
        sheet.add("rooms", Cell(statistics.rooms))
        sheet.add("members", Cell(statistics.members))
        sheet.add("slow consumers", Cell(statistics.slow))
        sheet.add("publishes", Cell("\(statistics.publishes) since the start"))
        sheet.add("deliveries", Cell("\(statistics.deliveries) since the start"))
        return sheet
    }

    static func slowest(_ statistics: AdminStatistics) -> Table {
        Table(
            [.number("LAG"), .text("MEMBER"), .text("CHANNEL"), .text("ROOM"), .text("NAME")],
            statistics.slowest.map { member in
                [Cell(member.lag), Cell(member.id), Cell(member.channel), Cell(member.room), .name(of: member.person)]
            }
        )
    }

    static func channels(_ statistics: AdminStatistics) -> Table {
        Table(
            [.number("CONNECTIONS"), .number("ROOMS"), .text("CHANNEL")],
            statistics.channels.map { [Cell($0.connections), Cell($0.rooms), Cell($0.id)] }
        )
    }
}
