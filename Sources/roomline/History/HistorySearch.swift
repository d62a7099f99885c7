import ArgumentParser
import Foundation

/// `roomline history search`
struct HistorySearch: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find messages that a room has kept.",
        discussion: AdminHelp.text(
            """
            All of the history is read, page by page, and what fits is shown, the oldest first. A message that is no text is \
            searched as JSON. TIME is 2h or 7d for so long ago, or 2026-11-21 or 2026-11-21T14:30 where you are.
            """,
            ("history search lobby 'out of stock' -i", "A text, in capitals or not."),
            (#"history search lobby --regex 'order #\d{4}'"#, "A regular expression."),
            (
                "history search lobby --from Luke --since 2026-11-20 --until 12h",
                "All that somebody has said, by name or id."
            ),
            ("history search lobby error --json --limit 1 | jq .seq", "The first, for a script.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("What is looked for; without it, everything.", valueName: "TEXT"))
    var text: String?

    @Flag(help: "TEXT is a regular expression.")
    var regex = false

    @Flag(name: .shortAndLong, help: "Capitals and small letters are the same.")
    var ignoreCase = false

    @Option(help: ArgumentHelp("Only from this sender.", valueName: "NAME|ID"))
    var from: String?

    @Option(help: ArgumentHelp("Only from then on.", valueName: "TIME"), transform: MomentArgument.reading)
    var since: MomentArgument?

    @Option(help: ArgumentHelp("Only before.", valueName: "TIME"), transform: MomentArgument.reading)
    var until: MomentArgument?

    @Option(help: ArgumentHelp("End after so many.", valueName: "N"))
    var limit: Int?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard (self.limit ?? 1) > 0 else { throw ValidationError("--limit has to be 1 or more.") }
        guard !self.regex || self.text != nil else { throw ValidationError("--regex says what TEXT is: give one.") }
    }

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        let filter = try self.filter(now: Date())
        var found = 0
        let reader = try await HistoryReader(client, room: self.room.path())
        try await reader.forEach(after: 0) { bytes, _ in
            let message = try AdminMessage(json: bytes)
            // They ascend: nothing that follows is earlier.
            guard message.date < filter.times.upperBound else { return false }
            guard filter.matches(message) else { return true }
            try output.write(message: bytes)
            found += 1
            return self.limit.map { found < $0 } ?? true
        }
        if found == 0 { CommandFailure.say("no message of \(self.room.name) is like that") }
    }

    private func filter(now: Date) throws(CommandFailure) -> MessageFilter {
        let since = self.since?.date(now: now) ?? .distantPast
        let until = self.until?.date(now: now) ?? .distantFuture
        guard since <= until else {
            throw CommandFailure(code: .usage, text: "--since is after --until: nothing is between them")
        }
        return try MessageFilter(
            text: self.text,
            isExpression: self.regex,
            ignoresCase: self.ignoreCase,
            sender: self.from,
            times: since..<until
        )
    }
}

/// Which messages somebody looks for.
struct MessageFilter: Sendable {
    /// What is looked for in the text; for a message that is no text, in its JSON. `nil`: anything.
    let pattern: NSRegularExpression?
    /// The sender's name or id.
    let sender: String?
    let times: Range<Date>

    /// - Parameters:
    ///   - text: as it stands, unless `isExpression`; `nil`: any.
    ///   - isExpression: it is a regular expression in the syntax that tokens and history rules have, too.
    /// - Throws: where the expression is none.
    init(
        text: String?,
        isExpression: Bool,
        ignoresCase: Bool,
        sender: String?,
        times: Range<Date>
    ) throws(CommandFailure) {
        do {
            self.pattern = try text.map { text in
                try NSRegularExpression(
                    pattern: isExpression ? text : NSRegularExpression.escapedPattern(for: text),
                    options: ignoresCase ? [.caseInsensitive] : []
                )
            }
        } catch {
            throw CommandFailure(code: .usage, text: "\(text ?? "") is no regular expression")
        }
        self.sender = sender
        self.times = times
    }

    func matches(_ message: AdminMessage) -> Bool {
        guard self.times.contains(message.date) else { return false }
        if let sender, message.sender.id != sender, message.person.name != sender { return false }
        guard let pattern else { return true }
        guard let text = message.text else { return false }
        return pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
