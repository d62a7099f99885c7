import Foundation
import RoomAdmin
import RoomClient
import RoomModel

extension AdminStatistics.SlowMember {
    var person: Person { Person(id: self.id, clientData: self.clientData) }
}

extension AdminStatistics.BusyConnection {
    var person: Person? { self.id.map { Person(id: $0, clientData: self.clientData) } }
}

/// Statistics as people read them.
enum StatisticsTables {
    static func sheet(_ statistics: AdminStatistics, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        let alarms = statistics.alarms
        if !alarms.isEmpty {
            sheet.add("warnings", alarms.map { Cell($0.text(of: statistics, in: timeZone), style: $0.style) })
        }
        sheet.add("time", Cell(ShownTime.moment(statistics.time, in: timeZone)))
        sheet.add("connections", Cell(statistics.connections))
        sheet.add("rooms", Cell(statistics.rooms))
        sheet.add("members", Cell(statistics.members))
        sheet.add("slow consumers", Cell(statistics.slow))
        if let busy = statistics.busy { sheet.add("held back", Cell(busy)) }
        sheet.add("publishes", Cell("\(statistics.publishes) since the start"))
        sheet.add("deliveries", Cell("\(statistics.deliveries) since the start"))
        if let stored = statistics.stored { sheet.add("stored", self.stored(stored)) }
        if let free = statistics.diskFreeBytes, let size = statistics.diskBytes {
            sheet.add("disk", Cell("\(ShownSize.text(free)) free of \(ShownSize.text(size))"))
        }
        if let end = statistics.certificateExpires {
            sheet.add("certificate", Cell("expires \(ShownTime.moment(end, in: timeZone))"))
        }
        return sheet
    }

    private static func stored(_ stored: AdminStatistics.Stored) -> Cell {
        let size = ShownSize.text(stored.bytes, isEstimate: stored.bytesAreEstimated)
        let file = stored.fileBytes.map { "; the history file has \(ShownSize.text($0))" } ?? ""
        return Cell(
            "\(Counted.text(stored.messages, "message")) of \(Counted.text(stored.rooms, "room")), \(size)\(file)"
        )
    }

    static func nodes(_ nodes: [AdminStatistics.Node]) -> Table {
        Table(
            [
                .number("NODE"), .text("HOST"), .number("CONNECTIONS"), .number("DELIVERIES"), .number("MEMORY"),
                .number("CPU TIME"), .number("UPTIME"), .text(""),
            ],
            nodes.map { node in
                [
                    Cell(node.node), Cell(node.host), .optional(node.connections) { "\($0)" },
                    .optional(node.deliveries) { "\($0)" }, .optional(node.residentBytes) { ShownSize.text($0) },
                    .optional(node.cpuSeconds) { ShownTime.duration(seconds: $0) },
                    .optional(node.uptimeSeconds) { ShownTime.duration(seconds: $0) },
                    Cell(node.this ? "answers" : "", style: .dim),
                ]
            }
        )
    }

    static func slowest(_ statistics: AdminStatistics) -> Table {
        Table(
            [.number("LAG"), .id("MEMBER"), .text("CHANNEL"), .text("ROOM"), .text("NAME")],
            statistics.slowest.map { member in
                [Cell(member.lag), Cell(member.id), Cell(member.channel), Cell(member.room), .name(of: member.person)]
            }
        )
    }

    static func busiest(_ connections: [AdminStatistics.BusyConnection]) -> Table {
        Table(
            [.number("LOOP %"), .id("MEMBER"), .text("CHANNEL"), .text("ADDRESS"), .text("NAME")],
            connections.map { connection in
                [
                    Cell(connection.loopPercent), connection.id.map { Cell($0) } ?? .none,
                    connection.channel.map { Cell($0) } ?? .none, connection.address.map { Cell($0) } ?? .none,
                    connection.person.map { .name(of: $0) } ?? .none,
                ]
            }
        )
    }

    static func busiest(_ addresses: [AdminStatistics.BusyAddress]) -> Table {
        Table(
            [.number("LOOP %"), .number("CONNECTIONS"), .text("ADDRESS")],
            addresses.map { [Cell($0.loopPercent), Cell($0.connections), Cell($0.address)] }
        )
    }

    static func busiest(_ rooms: [AdminStatistics.BusyRoom]) -> Table {
        Table(
            [.number("LOOP %"), .text("CHANNEL"), .text("ROOM")],
            rooms.map { [Cell($0.loopPercent), Cell($0.channel), Cell($0.room)] }
        )
    }

    static func channels(_ statistics: AdminStatistics) -> Table {
        Table(
            [.number("CONNECTIONS"), .number("ROOMS"), .number("MESSAGES"), .number("STORED"), .text("CHANNEL")],
            statistics.channels.map { channel in
                [
                    Cell(channel.connections), Cell(channel.rooms), .optional(channel.stored) { "\($0.messages)" },
                    .optional(channel.stored) { ShownSize.text($0.bytes, isEstimate: $0.bytesAreEstimated) },
                    Cell(channel.id),
                ]
            }
        )
    }
}
