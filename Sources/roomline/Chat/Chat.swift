import ArgumentParser
import Foundation
import RoomClient

/// `roomline chat`: talk in a room, for people.
struct Chat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Talk in a room.",
        usage: "roomline chat [ROOM] [options]",
        discussion: ChatHelp.text
    )

    @Argument(help: ArgumentHelp("The room to join.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var room = "observable-lobby"

    @Option(help: ArgumentHelp("Your name. (default: your user's name)", valueName: "NAME"))
    var name: String?

    @Option(
        help: ArgumentHelp("The colour of your name: #2e7d32, or a CSS colour name.", valueName: "COLOR"),
        transform: MemberColor.argument
    )
    var color: MemberColor?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("Show this many of the last messages first.", valueName: "N")
    )
    var history = 20

    @OptionGroup
    var client: ClientOptions

    func validate() throws {
        guard self.history >= 0 else { throw ValidationError("--history has to be 0 or more.") }
        if let name = self.name, TerminalText.name(name) == nil { throw ValidationError("--name is empty.") }
    }

    func run() async throws {
        do throws(CommandFailure) {
            try await self.talk()
        } catch {
            throw error.reported
        }
    }

    private func talk() async throws(CommandFailure) {
        let name = TerminalText.name(self.name ?? ClientOptions.userName, upTo: TerminalText.longestOwnName) ?? "guest"
        let profile = MemberProfile(name: name, color: self.color)
        let options = try self.client.resolved()
        let client = try options.makeClient(as: profile)
        // Before it is connected, or what the broker says at once would be missed.
        let events = client.events
        try await options.connect(client)
        let room = try await self.join(client)
        let signals = ProcessSignals(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT)
        let isScreen = StandardOutput.output.isTerminal
        let palette = Palette(isTerminal: isScreen, environment: ClientOptions.environment)
        let isTyped = isatty(STDIN_FILENO) == 1
        let hasPrompt = isTyped && palette != .plain && RawMode.start()
        let session = ChatSession(
            client: client,
            room: room,
            profile: profile,
            console: ChatConsole(palette: palette, hasPrompt: hasPrompt),
            transcript: Transcript(timeZone: .current, today: Date(), longestText: isScreen ? 2_000 : nil)
        )
        let lines = LinePublisher(client: client, room: self.room, isJSON: false)
        let input: ChatInput = hasPrompt ? .keys : isTyped ? .lines : .messages(lines)
        let runner = ChatRunner(session: session, events: events, input: input, signals: signals)
        let ending = await runner.run(history: self.history)
        let (refused, unsettled) = await session.close()
        await client.close()
        try Self.judge(ending, refused: isTyped ? 0 : refused, unsettled: unsettled)
    }

    private func join(_ client: RoomClient) async throws(CommandFailure) -> Room<JSON> {
        do throws(RoomClientError) {
            return try await client.join(self.room)
        } catch {
            throw CommandFailure(code: .refused, text: "\(self.room): \(error.advice)")
        }
    }

    private static func judge(_ ending: ChatEnding, refused: Int, unsettled: Int) throws(CommandFailure) {
        if case .failed(let failure) = ending { throw failure }
        if unsettled > 0 {
            throw CommandFailure(
                code: .refused,
                text: "\(unsettled) of your messages may be lost: they were not acknowledged"
            )
        }
        if refused > 0 { throw CommandFailure(code: .refused, text: "\(refused) of the messages are not stored") }
    }
}

/// The words around the options in `roomline chat --help`.
enum ChatHelp {
    static let text = """
        Type a message and press Enter to send it. /help lists the commands: /who, /name, /color, /history and /quit. The up \
        arrow shows what you sent before, Tab completes names, Ctrl-D leaves. Members whose token allows moderation also have \
        /kick, /ban, /mute, /lock, /slow, /redact, /clear and /notice. In a pipe, each line of standard input is a message; the \
        command ends when the last one is acknowledged.

        EXAMPLES
          roomline chat
              Talk in "observable-lobby", under your user's name.
          roomline chat observable-kitchen --name Leia --color '#1565c0'
              Another room and another name. Only rooms whose names begin with
              "observable-" show their members.
          roomline chat lobby
              The room of the plain-text clients, such as "nc 127.0.0.1 10000".
          fortune | roomline chat lobby --name Fortune --history 0
              Send the lines of standard input, then leave.

        EXIT CODES
          0   you left
          1   the broker refused something, such as the token, or a message was not acknowledged
          64  a wrong option or argument
          69  no broker answers
        """
}
