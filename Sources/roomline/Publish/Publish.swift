import ArgumentParser
import Foundation
import RoomClient
import RoomModel

/// `roomline publish`: one message, or one for each line of standard input; ends when all are acknowledged.
struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publish one message, or each line of standard input.",
        discussion: PublishHelp.text,
        // Or a message such as -dash would be a -h, and be taken for a wish for help.
        helpNames: .long
    )

    @Argument(help: ArgumentHelp("The room to publish in.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var room: String

    @Argument(help: ArgumentHelp("The message. (default: each line of standard input)", valueName: "MESSAGE"))
    var message: String?

    @Flag(help: "The messages are JSON, not text.")
    var json = false

    @Option(help: ArgumentHelp("The name of the sender. (default: your user's name)", valueName: "NAME"))
    var name: String?

    @Option(
        help: ArgumentHelp("The colour of the name: #2e7d32, or a CSS colour name.", valueName: "COLOR"),
        transform: MemberColor.argument
    )
    var color: MemberColor?

    @Option(help: ArgumentHelp("How long to retry a message while the broker is not reachable.", valueName: "SECONDS"))
    var timeout = 30

    @Option(
        help: ArgumentHelp(
            "The message_id of the message, or that of the first line; each later line has the next one. (default: a random one)",
            valueName: "UUID"
        ),
        transform: UniqueID.argument
    )
    var messageID: UniqueID?

    @Flag(name: .shortAndLong, help: "Print the seq and the id of each message.")
    var verbose = false

    @OptionGroup
    var client: ClientOptions

    func validate() throws {
        guard (1...540).contains(self.timeout) else { throw ValidationError("--timeout has to be 1 to 540 seconds.") }
        if let message = self.message, self.json {
            do throws(RoomClientError) {
                _ = try JSON(message)
            } catch {
                throw ValidationError("MESSAGE is not JSON: \(error.message). Without --json it is sent as text.")
            }
        }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await self.publish()
        } catch {
            throw error.reported
        }
    }

    private func publish() async throws(CommandFailure) {
        let profile = MemberProfile(name: self.name ?? ClientOptions.userName, color: self.color)
        let options = try self.client.resolved()
        let client = try options.makeClient(as: profile, publishTimeout: .seconds(self.timeout))
        try await options.connect(client)
        let watch = Task { await ConnectionWatch.report(client) }
        let publisher = LinePublisher(client: client, room: self.room, isJSON: self.json, firstID: self.messageID)
        let tally = PublishTally(isVerbose: self.verbose)
        let signals = ProcessSignals(SIGINT, SIGTERM)
        let interruption = Task {
            for await number in signals.stream {
                await tally.interrupted(at: publisher.firstID)
                ProcessSignals.end(by: number)
            }
        }
        defer { interruption.cancel() }
        if let message = self.message {
            await tally.count(await publisher.publish(message), line: nil)
        } else {
            if isatty(STDIN_FILENO) == 1 { CommandFailure.say("each line is a message; Ctrl-D ends") }
            let hasSentAll = await publisher.publish(StandardInput()) { await tally.count($1, line: $0) }
            if !hasSentAll { await tally.stopped() }
        }
        watch.cancel()
        await watch.value
        await client.close()
        if let failure = await tally.failure(of: publisher.firstID) { throw failure }
    }
}

/// The words around the options in `roomline publish --help`.
enum PublishHelp {
    static let text = """
        The command ends when the broker has acknowledged every message; an acknowledged message survives a crash of the \
        broker. Lines are published in order, without waiting for each acknowledgement.

        EXAMPLES
          roomline publish lobby "the build is green"
              Publish one text.
          roomline publish lobby -- "$MESSAGE"
              Publish a text that may begin with a dash.
          make 2>&1 | roomline publish builds --name make
              Publish each line as a message.
          roomline publish sensors --json '{"celsius":21.5}'
              Publish JSON, byte for byte.
          roomline publish lobby --verbose < lines.txt
              Print the seq and the id of each message, in the order of the lines.
          roomline publish lobby --message-id 3d6c0a52-6b0e-4c5e-9a53-0a3f1a2b4c5d < lines.txt
              Publish the same lines again after a failure, which has named the id: within ten minutes no line is stored \
        twice.

        EXIT CODES
          0   every message is stored
          1   the broker refused something, such as the token, or a message was not acknowledged; standard error names it
          64  a wrong option or argument
          69  no broker answers
        """
}
