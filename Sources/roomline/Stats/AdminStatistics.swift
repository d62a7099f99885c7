import Foundation
import RoomClient

/// The present and past work of the broker, as the admin API shows it: `Statistics` in `Schemas/admin.openapi.yaml`.
struct AdminStatistics: AdminDocument, Decodable, Equatable, Sendable {
    struct Channel: Decodable, Equatable, Sendable {
        let id: String
        let connections: Int
        let rooms: Int
        /// `nil`: nothing can be read now, or the broker is older.
        var stored: Stored?
    }

    /// How much is stored of a channel, or of all.
    struct Stored: Decodable, Equatable, Sendable {
        let rooms: Int
        let messages: UInt64
        let bytes: UInt64
        let bytesAreEstimated: Bool
        /// The size of the history file, only in the figures of all channels.
        var fileBytes: UInt64?
    }

    /// A member that reads more slowly than its room talks.
    struct SlowMember: Decodable, Equatable, Sendable {
        let channel: String
        let room: String
        let id: String
        let clientData: JSON?
        let lag: Int

        var person: Person { Person(id: self.id, clientData: self.clientData) }
    }

    /// A connection that has to wait for its turns.
    struct BusyConnection: Decodable, Equatable, Sendable {
        /// `nil`, as is `id`, where it has no session: it speaks HTTP.
        let channel: String?
        let id: String?
        let clientData: JSON?
        let address: String?
        /// The share of its event loop's time.
        let loopPercent: Int

        var person: Person? { self.id.map { Person(id: $0, clientData: self.clientData) } }
    }

    /// An address whose connections have to wait for their turns.
    struct BusyAddress: Decodable, Equatable, Sendable {
        let address: String
        let connections: Int
        let loopPercent: Int
    }

    struct BusyRoom: Decodable, Equatable, Sendable {
        let channel: String
        let room: String
        let loopPercent: Int
    }

    let time: String
    let connections: Int
    let rooms: Int
    /// A client counts in each room that it is in.
    let members: Int
    /// How many read more slowly than their rooms talk.
    let slow: Int
    /// Some of those, the furthest behind first.
    let slowest: [SlowMember]
    /// How many had to wait for their turns in the last second; `nil`: the broker is older.
    let busy: Int?
    /// Some of those, the one that uses most of its event loop first.
    let busiest: [BusyConnection]?
    /// The same by address, and the rooms that cost most.
    let busiestAddresses: [BusyAddress]?
    let busiestRooms: [BusyRoom]?
    /// Since the start.
    let publishes: Int
    let deliveries: Int
    /// The following fields are `nil` where the broker is older, as are those that cannot be told now.
    var publishedBytes: Int?
    var deliveredBytes: Int?
    /// Requests that were answered with an error.
    var errors: Int?
    /// The figures of all channels.
    var stored: Stored?
    let channels: [Channel]
    var version: String?
    var uptimeSeconds: Double?
    var cpuSeconds: Double?
    var residentBytes: UInt64?
    /// Commit times of the last seconds.
    var commitP50Seconds: Double?
    var commitP99Seconds: Double?
}

/// Statistics as people read them.
enum StatisticsTables {
    static func sheet(_ statistics: AdminStatistics, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("time", Cell(ShownTime.moment(statistics.time, in: timeZone)))
        sheet.add("connections", Cell(statistics.connections))
        sheet.add("rooms", Cell(statistics.rooms))
        sheet.add("members", Cell(statistics.members))
        sheet.add("slow consumers", Cell(statistics.slow))
        if let busy = statistics.busy { sheet.add("held back", Cell(busy)) }
        sheet.add("publishes", Cell("\(statistics.publishes) since the start"))
        sheet.add("deliveries", Cell("\(statistics.deliveries) since the start"))
        if let stored = statistics.stored { sheet.add("stored", self.stored(stored)) }
        return sheet
    }

    private static func stored(_ stored: AdminStatistics.Stored) -> Cell {
        let size = ShownSize.text(stored.bytes, isEstimate: stored.bytesAreEstimated)
        let file = stored.fileBytes.map { "; the history file has \(ShownSize.text($0))" } ?? ""
        return Cell("\(stored.messages) messages of \(stored.rooms) rooms, \(size)\(file)")
    }

    static func slowest(_ statistics: AdminStatistics) -> Table {
        Table(
            [.number("LAG"), .text("MEMBER"), .text("CHANNEL"), .text("ROOM"), .text("NAME")],
            statistics.slowest.map { member in
                [Cell(member.lag), Cell(member.id), Cell(member.channel), Cell(member.room), .name(of: member.person)]
            }
        )
    }

    static func busiest(_ connections: [AdminStatistics.BusyConnection]) -> Table {
        Table(
            [.number("LOOP %"), .text("MEMBER"), .text("CHANNEL"), .text("ADDRESS"), .text("NAME")],
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
