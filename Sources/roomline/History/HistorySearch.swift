import ArgumentParser
import Foundation
import RoomAdmin

/// `roomline history search`
struct HistorySearch: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search the stored messages of a room.",
        discussion: AdminHelp.text(
            """
            The command reads the whole history, page by page, and shows the messages that match, the oldest first. A message \
            that is not a text is searched as JSON, too. TIME is 2h or 7d (that long ago), or 2026-11-21 or 2026-11-21T14:30 in your \
            time zone.
            """,
            ("history search lobby 'out of stock' -i", "A text, without regard to case."),
            (#"history search lobby --regex 'order #\d{4}'"#, "A regular expression."),
            (
                "history search lobby --from Luke --since 2026-11-20 --until 12h",
                "All messages of one sender, by name or id."
            ),
            ("history search lobby error --json --limit 1 | jq .seq", "The first match, for a script.")
        )
    )

    @OptionGroup
    var room: RoomOptions

    @Argument(help: ArgumentHelp("The text to search for. (default: every message)", valueName: "TEXT"))
    var text: String?

    @Flag(help: "TEXT is a regular expression.")
    var regex = false

    @Flag(name: .shortAndLong, help: "Ignore case.")
    var ignoreCase = false

    @Option(help: ArgumentHelp("Only messages from this sender.", valueName: "NAME|ID"))
    var from: String?

    @Option(help: ArgumentHelp("Only messages since this time.", valueName: "TIME"), transform: MomentArgument.reading)
    var since: MomentArgument?

    @Option(help: ArgumentHelp("Only messages before this time.", valueName: "TIME"), transform: MomentArgument.reading)
    var until: MomentArgument?

    @Option(help: ArgumentHelp("Stop after this many messages.", valueName: "N"))
    var limit: Int?

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard (self.limit ?? 1) > 0 else { throw ValidationError("--limit has to be 1 or more.") }
        guard !self.regex || self.text != nil else { throw ValidationError("--regex needs a TEXT.") }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let filter = try self.filter(now: Date())
        var found = 0
        let reader = try await HistoryReader(client, self.room)
        try await reader.forEach(after: 0) { bytes, _ in
            let message = try AdminMessage(json: bytes)
            // They ascend: nothing that follows is earlier.
            guard message.date < filter.times.upperBound else { return false }
            guard filter.matches(message) else { return true }
            try output.write(message: bytes)
            found += 1
            return self.limit.map { found < $0 } ?? true
        }
        if found == 0 { CommandFailure.say("no message of \(self.room.name) matches") }
    }

    private func filter(now: Date) throws(CommandFailure) -> MessageFilter {
        let since = self.since?.date(now: now) ?? .distantPast
        let until = self.until?.date(now: now) ?? .distantFuture
        guard since <= until else {
            throw CommandFailure(code: .usage, text: "--since is after --until")
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
    /// The pattern to look for in the text; for a message that is not text, in its JSON. `nil`: anything.
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
            throw CommandFailure(code: .usage, text: PatternFault.text(of: text ?? ""))
        }
        self.sender = sender
        self.times = times
    }

    func matches(_ message: AdminMessage) -> Bool {
        guard self.times.contains(message.date) else { return false }
        if let sender, message.sender.id != sender, message.person.name != sender { return false }
        guard let pattern else { return true }
        return message.searchedTexts.contains { text in
            pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }
}
