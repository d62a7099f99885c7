import ArgumentParser
import Foundation
import RoomClient

/// `roomline chat`: talk in a room, for people.
struct Chat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Talk in a room, or in several.",
        discussion: ChatHelp.text
    )

    @Argument(help: ArgumentHelp("The rooms to join.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var rooms = ["lobby"]

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

    @Flag(help: "Write line below line, as for a pipe, instead of using the full screen. For one room.")
    var lineMode = false

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

    /// The user that talks, and the connection for it.
    private struct Connection {
        let client: RoomClient
        let events: AsyncStream<ClientEvent>
        let room: Room<JSON>
        let profile: MemberProfile
    }

    private func talk() async throws(CommandFailure) {
        let isScreen = StandardOutput.output.isTerminal
        let isTyped = isatty(STDIN_FILENO) == 1
        let palette = Palette(isTerminal: isScreen, environment: ClientOptions.environment)
        let isFullScreen = isTyped && palette != .plain && !self.lineMode
        guard let first = self.rooms.first, isFullScreen || self.rooms.count == 1 else {
            throw CommandFailure(code: .usage, text: "several rooms are for the full screen of a terminal")
        }
        let name = TerminalText.name(self.name ?? ClientOptions.userName, upTo: TerminalText.longestOwnName) ?? "guest"
        let profile = MemberProfile(name: name, color: self.color)
        let options = try self.client.resolved()
        let client = try options.makeClient(as: profile)
        // Before it is connected, or what the broker says at once would be missed.
        let events = client.events
        try await options.connect(client)
        let room = try await Self.join(first, client)
        let signals = ProcessSignals(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT)
        let connection = Connection(client: client, events: events, room: room, profile: profile)
        if isFullScreen, RawMode.start(fullScreen: true) {
            try await self.useFullScreen(connection, signals, palette)
        } else {
            try await self.useLines(connection, signals, palette, isTyped: isTyped, isScreen: isScreen)
        }
    }

    private func useFullScreen(
        _ connection: Connection,
        _ signals: ProcessSignals,
        _ palette: Palette
    ) async throws(CommandFailure) {
        let size = TerminalSize.current
        var names: [String] = []
        for room in self.rooms where !names.contains(room) { names.append(room) }
        let chat = FullScreenChat(
            profile: connection.profile,
            rooms: names,
            history: self.history,
            size: FullScreenChat.Size(columns: size.columns, rows: size.rows),
            timeZone: .current
        )
        let session = FullScreenSession(client: connection.client, chat: chat, palette: palette)
        await session.begin(in: connection.room)
        let ending = await FullScreenRunner(session: session, events: connection.events, signals: signals).run()
        let unsent = await session.close()
        await connection.client.close()
        try Self.judge(ending, refused: 0, unsent: unsent)
    }

    private func useLines(
        _ connection: Connection,
        _ signals: ProcessSignals,
        _ palette: Palette,
        isTyped: Bool,
        isScreen: Bool
    ) async throws(CommandFailure) {
        let hasPrompt = isTyped && palette != .plain && RawMode.start()
        let session = ChatSession(
            client: connection.client,
            room: connection.room,
            profile: connection.profile,
            console: ChatConsole(palette: palette, hasPrompt: hasPrompt),
            transcript: Transcript(timeZone: .current, today: Date(), longestText: isScreen ? 2_000 : nil)
        )
        let lines = LinePublisher(client: connection.client, room: connection.room.name, isJSON: false)
        let input: ChatInput = hasPrompt ? .keys : isTyped ? .lines : .messages(lines)
        let runner = ChatRunner(session: session, events: connection.events, input: input, signals: signals)
        let ending = await runner.run(history: self.history)
        let (refused, unsent) = await session.close()
        await connection.client.close()
        try Self.judge(ending, refused: isTyped ? 0 : refused, unsent: unsent)
    }

    private static func join(_ room: String, _ client: RoomClient) async throws(CommandFailure) -> Room<JSON> {
        do throws(RoomClientError) {
            return try await client.join(room)
        } catch {
            throw CommandFailure(code: .refused, text: "\(room): \(error.advice)")
        }
    }

    private static func judge(
        _ ending: ChatEnding,
        refused: Int,
        unsent: UnsentMessages
    ) throws(CommandFailure) {
        if case .failed(let failure) = ending {
            guard !unsent.isEmpty else { throw failure }
            CommandFailure.say(failure.text)
            throw unsent.failure(failure.code)
        }
        guard unsent.isEmpty else { throw unsent.failure(.refused) }
        if refused > 0 { throw CommandFailure(code: .refused, text: "\(refused) of the messages are not stored") }
    }
}

/// The words around the options in `roomline chat --help`.
enum ChatHelp {
    static let text = """
        Type a message and press Enter to send it. /help lists the commands and the keys: /join opens another room, Ctrl-N and \
        Ctrl-P go from room to room, Page Up shows older messages, Ctrl-R searches, Tab completes names, Ctrl-D leaves. Members \
        whose token allows moderation also have /kick, /ban, /mute, /lock, /slow, /redact, /clear and /notice.

        At a terminal, the chat uses the full screen; with --line-mode it writes line below line. In a pipe, each line of \
        standard input is a message; the command ends when the last one is acknowledged.

        EXAMPLES
          roomline chat
              Talk in "lobby", under your user's name, also with the plain-text clients, such as "nc 127.0.0.1 10000".
          roomline chat kitchen --name Leia --color '#1565c0'
              Another room and another name.
          roomline chat lobby kitchen
              Two rooms beside each other.
          fortune | roomline chat lobby --name Fortune --history 0
              Send the lines of standard input, then leave.

        EXIT CODES
          0   you left
          1   the broker refused something, such as the token, or a message was not acknowledged
          64  a wrong option or argument
          69  no broker answers
        """
}
