import Foundation
import RoomClient

/// One visit to a room: everything that happens there, is typed, or befalls the connection comes together here, in one order.
actor ChatSession {
    /// Tasks that take a while, done one after the other.
    enum ChatTask: Sendable {
        case change(MemberProfile)
        case showHistory(Int)
        case moderate(ModerationRequest)
        /// Before the user is asked whether it is meant.
        case checkPermission(ModerationRequest)
    }

    /// A message of the user's on its way.
    struct Submission: Sendable {
        let number: Int
        let text: String
        let pending: Pending<PublishReceipt>
    }

    nonisolated let client: RoomClient
    nonisolated let room: Room<JSON>
    nonisolated let tasks: (stream: AsyncStream<ChatTask>, continuation: AsyncStream<ChatTask>.Continuation)
    nonisolated let submissions: (stream: AsyncStream<Submission>, continuation: AsyncStream<Submission>.Continuation)
    private nonisolated let endings:
        (stream: AsyncStream<ChatEnding>, continuation: AsyncStream<ChatEnding>.Continuation)

    var profile: MemberProfile
    var console: ChatConsole
    var transcript: Transcript
    var typing = TypingIndicators()
    var delivery = Delivery()
    /// The user's messages that are not acknowledged, in their order.
    var unsettled: [Submission] = []
    var submissionCount = 0
    private var news = ConnectionNews()
    /// Where the room's log stood when the chat began.
    var start: RoomPosition?
    /// So far the history was shown, and does not come again.
    var shownHistory: RoomPosition?
    /// The first message shown.
    var oldestShown: UInt64?
    /// The newest message when the line at the prompt was begun: what comes meanwhile does not shift what the user counted.
    var newestAtPrompt: UInt64?
    /// Waits for `/yes`, until something else is entered.
    var unconfirmed: UnconfirmedAct?
    var rules = ChatRules()
    /// The people that are or were here, as far as this chat has seen.
    var knownMembers: [String: (person: Person, user: String?, seen: Int)] = [:]
    /// So often this chat has seen somebody: says who of the acquaintances was seen last.
    var sightings = 0

    init(client: RoomClient, room: Room<JSON>, profile: MemberProfile, console: ChatConsole, transcript: Transcript) {
        self.client = client
        self.room = room
        self.profile = profile
        self.console = console
        self.transcript = transcript
        self.start = room.position
        self.oldestShown = self.start.flatMap { $0.seq < .max ? $0.seq + 1 : nil }
        self.tasks = AsyncStream.makeStream()
        self.submissions = AsyncStream.makeStream()
        self.endings = AsyncStream.makeStream()
    }

    // MARK: Showing

    /// The lines, and the prompt and the status as they are now.
    func show(_ lines: [StyledLine]) {
        guard !lines.isEmpty else { return self.refresh() }
        self.prepareConsole()
        self.write { (console) throws(StandardOutput.Closed) in try console.show(lines) }
    }

    /// The prompt and the status as they are now.
    func refresh() {
        self.prepareConsole()
        self.write { (console) throws(StandardOutput.Closed) in try console.refresh() }
    }

    func write(_ work: (inout ChatConsole) throws(StandardOutput.Closed) -> Void) {
        do throws(StandardOutput.Closed) {
            try work(&self.console)
        } catch {
            self.end(
                error.isGone ? .left : .failed(CommandFailure(code: .refused, text: "the output cannot be written to"))
            )
        }
    }

    private func prepareConsole() {
        self.console.label = StyledLine(spans: [self.me.span])
        let status = ChatStatus(
            room: TerminalText.line(self.room.name),
            people: self.transcript.people.map(\.shownName),
            typing: self.typing.text,
            unsettled: self.delivery.unsettled,
            isLeaving: self.delivery.isLeaving,
            trouble: self.news.trouble,
            rules: self.rules.text
        )
        self.console.status = .dim(status.text)
    }

    var me: Person { Person(id: "", profile: self.profile) }

    // MARK: The connection

    func connectionChanged(to state: ConnectionState) {
        let line = self.news.changed(to: state)
        if case .waiting = state { self.rules.connectionLost() }
        if self.console.isPlain {
            if let line { CommandFailure.say(line) }
        } else {
            self.show(line.map { [self.transcript.note($0)] } ?? [])
        }
        if case .closed(let error?) = state {
            self.end(.failed(CommandFailure(over: error)))
        }
    }

    // MARK: The end

    /// The user wants to go: as soon as everything is acknowledged, or now when this is not the first time.
    func leave() {
        if self.delivery.leave() { return self.end(.left) }
        self.submissions.continuation.finish()
        self.endIfSettled()
        if self.console.hasPrompt { self.refresh() }
    }

    func endIfSettled() {
        if self.delivery.canLeave { self.end(.left) }
    }

    func end(_ ending: ChatEnding) {
        self.endings.continuation.yield(ending)
    }

    /// Waits for the end.
    nonisolated func ending() async -> ChatEnding {
        for await ending in self.endings.stream { return ending }
        return .left
    }

    /// Gives the terminal back, and tells how it was.
    func close() -> (refused: Int, unsent: UnsentMessages) {
        self.write { (console) throws(StandardOutput.Closed) in try console.close() }
        return (self.delivery.refused, UnsentMessages(self.unsettled.map(\.text)))
    }
}
