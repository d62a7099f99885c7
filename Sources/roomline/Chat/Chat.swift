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
        let palette = try Self.palette()
        let name = TerminalText.name(self.name ?? ClientOptions.userName, upTo: TerminalText.longestOwnName) ?? "guest"
        let profile = MemberProfile(name: name, color: self.color)
        let options = try self.client.resolved()
        let client = try options.makeClient(as: profile)
        // before it is connected, or what the broker says at once would be missed
        let events = client.events
        try await options.connect(client)
        var names: [String] = []
        for room in self.rooms where !names.contains(room) { names.append(room) }
        let room = try await Self.join(names[0], client)
        let signals = ProcessSignals(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT)
        guard RawMode.start(fullScreen: true) else { throw Self.needsTerminal }
        let size = TerminalSize.current
        let chat = FullScreenChat(
            profile: profile,
            rooms: names,
            history: self.history,
            size: FullScreenChat.Size(columns: size.columns, rows: size.rows),
            timeZone: .current
        )
        let session = FullScreenSession(client: client, chat: chat, palette: palette)
        await session.begin(in: room)
        let ending = await FullScreenRunner(session: session, events: events, signals: signals).run()
        let (unsent, draft) = await session.close()
        await client.close()
        if !draft.isEmpty { CommandFailure.say("you were typing, and it is not sent: \(TerminalText.line(draft))") }
        try Self.judge(ending, unsent: unsent)
    }

    private static let needsTerminal = CommandFailure(
        code: .usage,
        text: "chat needs a terminal that can show a full screen; \"roomline publish ROOM\" sends the lines of a pipe, "
            + "\"roomline tail ROOM\" shows a room line by line"
    )

    private static func palette() throws(CommandFailure) -> Palette {
        let palette = Palette(isTerminal: StandardOutput.output.isTerminal, environment: ClientOptions.environment)
        guard isatty(STDIN_FILENO) == 1, palette != .plain else { throw self.needsTerminal }
        return palette
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
        unsent: UnsentMessages
    ) throws(CommandFailure) {
        if case .failed(let failure) = ending {
            guard !unsent.isEmpty else { throw failure }
            CommandFailure.say(failure.text)
            throw unsent.failure(failure.code)
        }
        guard unsent.isEmpty else { throw unsent.failure(.refused) }
    }
}

/// The words around the options in `roomline chat --help`.
enum ChatHelp {
    static let text = """
        Type a message and press Enter to send it. /help lists the commands and the keys: /join opens another room, Ctrl-N and \
        Ctrl-P go from room to room, Page Up shows older messages, Ctrl-R searches, Tab completes names, Ctrl-D leaves. Members \
        whose token allows moderation also have \(ModerationCommand.names).

        The chat uses the full screen of a terminal. In a pipe, use "roomline publish" and "roomline tail".

        EXAMPLES
          roomline chat
              Talk in "lobby", under your user's name, also with the plain-text clients, such as "nc 127.0.0.1 10000".
          roomline chat kitchen --name Leia --color '#1565c0'
              Another room and another name.
          roomline chat lobby kitchen
              Two rooms beside each other.

        EXIT CODES
          0   you left
          1   the broker refused something, such as the token, or a message was not acknowledged
          64  a wrong option or argument
          69  no broker answers
        """
}
