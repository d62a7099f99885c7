import ArgumentParser
import Foundation

/// `roomline trace`
struct Trace: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Show where a message is, and which members have not received it yet.",
        discussion: AdminHelp.text(
            "Without --room, the command searches all rooms of the channel that have members.",
            ("trace 019aa3c5-7b16-7016-8f21-6c0d5e4b3a16 --room lobby", "A message of a room, by the id in its stamp."),
            ("trace 019aa3c5-7b16-7016-8f21-6c0d5e4b3a16 --json | jq .lagging", "Members that have not got it yet.")
        )
    )

    @Argument(help: ArgumentHelp("The id in the stamp of the message.", valueName: "MESSAGE-ID"))
    var id: String

    @Option(help: ArgumentHelp("The room of the message.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var room: String?

    @OptionGroup
    var channel: ChannelOption

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let response = try await self.response(client)
        try output.write(response) { TraceSheet.sheet($0, in: output.timeZone) }
    }

    private func response(_ client: AdminClient) async throws -> AdminResponse {
        if let room { return try await client.send(self.request(room)) }
        var rooms: [String] = []
        try await client.forEach("rooms", of: AdminRequest(.get, ["channels", self.channel.channel, "rooms"])) {
            rooms.append(try AdminRoomSummary(json: $0).name)
        }
        for room in rooms {
            let request = self.request(room)
            let response = try await client.exchange(request)
            if response.status == 200 { return response }
            guard response.status == 404 else { throw await client.failure(of: response, to: request) }
        }
        throw CommandFailure(
            code: .refused,
            text: "none of the \(rooms.count) rooms of \(self.channel.channel) that have members has the message "
                + "\(self.id), or still has it; --room names a room without members"
        )
    }

    private func request(_ room: String) -> AdminRequest {
        AdminRequest(.get, ["trace", self.id], query: [("channel", self.channel.channel), ("room", room)])
    }
}

/// A trace as the admin API shows it: `Trace` in `Schemas/admin.openapi.yaml`.
struct AdminTrace: AdminDocument, Decodable, Equatable, Sendable {
    struct Laggard: Decodable, Equatable, Sendable {
        let id: String
        let lag: Int
    }

    let id: String
    let channel: String
    let room: String
    let time: String
    let epoch: String
    let seq: UInt64
    let stored: Bool
    let passed: Int
    let lagging: [Laggard]
}

/// A trace as people read it.
enum TraceSheet {
    static func sheet(_ trace: AdminTrace, in timeZone: TimeZone) -> FactSheet {
        var sheet = FactSheet()
        sheet.add("message", Cell(trace.id))
        sheet.add("channel", Cell(trace.channel))
        sheet.add("room", Cell(trace.room))
        sheet.add("published", Cell(ShownTime.moment(trace.time, in: timeZone)))
        sheet.add("seq", Cell("\(trace.seq) of epoch \(trace.epoch)"))
        sheet.add("stored", Cell(trace.stored ? "yes" : "no, only in memory"))
        sheet.add("sent to", Cell(trace.passed == 1 ? "1 member" : "\(trace.passed) members"))
        sheet.add("not yet to", trace.lagging.map { Cell("\($0.id), \($0.lag) behind") })
        return sheet
    }
}
