import ArgumentParser
import Foundation
import RoomAdmin
import RoomJSON
import RoomModel

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

    func validate() throws {
        if UUID(uuidString: self.id) != nil { return }
        throw ValidationError("\(self.id.shown) is not the id of a message: \"history show --json\" has them.")
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try output.write(try await self.answer(client)) { TraceTable.sheet($0, in: output.timeZone) }
    }

    private func answer(_ client: AdminSession) async throws -> AdminAnswer<AdminTrace> {
        if let room { return try await client.answer(to: self.call(room)) }
        var rooms: [String] = []
        try await client.forEach(.rooms(of: self.channel.channel)) {
            rooms.append(try AdminRoomSummary(json: $0).name)
        }
        for room in rooms {
            let call = self.call(room)
            do throws(AdminError) {
                return try await client.client.answer(to: call)
            } catch {
                guard error.status == 404 else { throw await client.failure(error, of: call.request) }
            }
        }
        throw CommandFailure(
            code: .refused,
            text: "none of the \(rooms.count) rooms of \(self.channel.channel) that have members has the message "
                + "\(self.id), or still has it; --room names a room without members"
        )
    }

    private func call(_ room: String) -> AdminCall<AdminTrace> {
        .trace(self.id, in: room, of: self.channel.channel)
    }
}

/// A trace as people read it.
enum TraceTable {
    static func sheet(_ trace: AdminTrace, in timeZone: TimeZone) -> FactTable {
        var sheet = FactTable()
        sheet.add("message", Cell(trace.id))
        sheet.add("channel", Cell(trace.channel))
        sheet.add("room", Cell(trace.room))
        sheet.add("published", Cell(ShownTime.moment(trace.time, in: timeZone)))
        sheet.add("seq", Cell("\(trace.seq) of epoch \(trace.epoch)"))
        sheet.add("stored", Cell(trace.stored ? "yes" : "no, only in memory"))
        sheet.add("sent to", Cell(Counted.text(trace.passed, "member")))
        sheet.add("not yet to", trace.lagging.map { Cell("\($0.id), \($0.lag) behind") })
        return sheet
    }
}
