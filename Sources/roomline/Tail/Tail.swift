import ArgumentParser
import Foundation
import RoomClient

/// `roomline tail`: writes what is said in rooms, line by line, until it is told to stop.
struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow one or more rooms, as text or JSON.",
        discussion: TailHelp.text
    )

    @Argument(help: ArgumentHelp("The rooms to follow.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var rooms: [String]

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("Write this many of the newest messages first.", valueName: "N")
    )
    var history = 0

    @Option(
        help: ArgumentHelp(
            "Continue after this message of one room, as an earlier tail printed it: 5f3c9a1e7b240d86:41.",
            valueName: "EPOCH:SEQ"
        )
    )
    var since: ResumePoint?

    @Flag(help: "Write one JSON object a line.")
    var json = false

    @Flag(help: "Show who joins and leaves, too.")
    var presence = false

    @Option(help: ArgumentHelp("The name that others see.", valueName: "NAME"))
    var name: String?

    @Option(help: ArgumentHelp("Stop after this many messages.", valueName: "N"))
    var exitAfter: Int?

    @OptionGroup
    var client: ClientOptions

    func validate() throws {
        guard self.history >= 0 else { throw ValidationError("--history has to be 0 or more.") }
        guard (self.exitAfter ?? 1) > 0 else { throw ValidationError("--exit-after has to be 1 or more.") }
        guard Set(self.rooms).count == self.rooms.count else { throw ValidationError("A room is given twice.") }
        guard self.since == nil || self.rooms.count == 1 else {
            throw ValidationError("--since works with one room only.")
        }
        guard self.since == nil || self.history == 0 else {
            throw ValidationError("--since and --history exclude each other.")
        }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await self.follow()
        } catch {
            throw error.reported
        }
    }

    /// The command that a shell takes to go on in a room, at the same broker and in the same form.
    func command(goingOnIn room: String, after point: ResumePoint) -> String {
        let form =
            (self.json ? ["--json"] : []) + (self.presence ? ["--presence"] : [])
            + (self.name.map { ["--name", $0] } ?? [])
        let words = ["roomline", "tail", room, "--since", "\(point)"] + form + self.client.arguments
        return words.map(\.shellQuoted).joined(separator: " ")
    }

    private func follow() async throws(CommandFailure) {
        let options = try self.client.resolved()
        let client = try options.makeClient(as: self.name.map { MemberProfile(name: $0) })
        try await options.connect(client)
        let output = StandardOutput.output
        let follower = TailRunner(
            client: client,
            writer: TailWriter(
                output: output,
                format: self.json
                    ? .json(escapesUnsafe: output.isTerminal) : .text(TailText(timeZone: .current, now: Date())),
                limit: self.exitAfter
            ),
            signals: ProcessSignals(SIGINT, SIGTERM)
        )
        let failure = await follower.follow(
            self.rooms,
            history: self.history,
            since: self.since?.position,
            presence: self.presence
        )
        await client.close()
        for (room, point) in await follower.writer.resumePoints {
            CommandFailure.say("to go on from here: \(self.command(goingOnIn: room, after: point))")
        }
        if let failure { throw failure }
    }
}

/// The words around the options in `roomline tail --help`.
enum TailHelp {
    static let text = """
        The command runs until Ctrl-C, reconnects when the broker restarts, and misses no message: if messages are lost, it \
        writes a gap. At its end it prints to standard error the command that continues from there.

        EXAMPLES
          roomline tail lobby
              Write a line for each message from now on: HH:MM:SS ROOM NAME: TEXT
              Where the day changes, a line has the date and the time zone.
          roomline tail lobby kitchen --history 20
              Two rooms, and the last 20 messages of each.
          roomline tail lobby --presence
              Also who joins and leaves.
          roomline tail sensors --json | jq .message.celsius
              One JSON object a line; "message" is as it was published.
          roomline tail lobby --since 5f3c9a1e7b240d86:41
              Continue after message 41.

        JSON
          Each line has a "type" and a "room", and, by type,
          message  "id", "time", "sender", "message", and, unless it was ephemeral, "epoch" and "seq"
          gap      "epoch", "reason", and, if they are known, "from_seq" and "to_seq": messages that are lost
          members  "members": the members of the room
          joined, left, updated
                   "member"

        EXIT CODES
          0   ended by Ctrl-C, SIGTERM or --exit-after, or the reader has gone
          1   the broker refused something, such as the token
          64  a wrong option or argument
          69  no broker answers
        """
}
