import ArgumentParser
import RoomWire

/// The settings of a channel, for those that make one and those that change one.
struct ChannelSettingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A name for people.", valueName: "TEXT"))
    var name: String?

    @Option(help: ArgumentHelp("Who has to show a token: none, optional or required.", valueName: "WHO"))
    var auth: String?

    @Option(help: ArgumentHelp("When a token has to be valid: at_use or live.", valueName: "WHEN"))
    var tokenExpiry: String?

    @Option(help: ArgumentHelp("How many messages a room keeps, or off.", valueName: "N|off"))
    var history: HistoryArgument?

    @Option(
        help: ArgumentHelp("How long a room keeps them, such as 30d.", valueName: "DURATION"),
        transform: DurationArgument.reading
    )
    var historyAge: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Rooms in whose name the pattern is found keep so many instead; the first that fits counts. May be repeated; \"\" for no rules.",
            valueName: "PATTERN=N|off"
        )
    )
    var historyRule: [HistoryRuleArgument] = []

    @Option(help: ArgumentHelp("oldest_first or newest_first, in the replies to clients.", valueName: "ORDER"))
    var historyOrder: String?

    @Option(help: ArgumentHelp("What an acknowledged message survives: process or power.", valueName: "WHAT"))
    var durability: String?

    @Option(help: ArgumentHelp("Which rooms show their members: prefix or all.", valueName: "WHICH"))
    var presence: String?

    @Option(help: ArgumentHelp("How many members of a room are listed, or none.", valueName: "N|none"))
    var membersListed: LimitArgument?

    @Option(help: ArgumentHelp("Where tokens' data is in stamps: observable, always or never.", valueName: "WHERE"))
    var authDataStamps: String?

    @Option(
        help: ArgumentHelp("A browser origin that may connect. May be repeated; \"\" for none.", valueName: "ORIGIN")
    )
    var origin: [String] = []

    @Option(
        help: ArgumentHelp("How long a lost connection can be resumed, such as 30s.", valueName: "DURATION"),
        transform: DurationArgument.reading
    )
    var grace: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "A limit: connections, rooms, new_room_rate, member_new_room_rate, members_per_room, message_bytes, publish_rate or member_publish_rate. May be repeated.",
            valueName: "NAME=N|none"
        )
    )
    var limit: [NamedLimitArgument] = []

    /// Turns off what rooms have kept until now.
    var endsHistory: Bool {
        self.history == .off || self.historyRule.contains { $0.rule?.history == .off }
    }

    func validate() throws {
        guard self.history != .off || self.historyAge == nil else {
            throw ValidationError("--history-age goes with a history, and --history off keeps none.")
        }
    }

    /// What was named, as the API takes it. The words are for the broker to check: it knows which there are.
    var fields: [JSONTree.Field] {
        let words = [
            ("name", self.name), ("authentication", self.auth), ("token_expiry", self.tokenExpiry),
            ("history_order", self.historyOrder), ("durability", self.durability), ("presence", self.presence),
            ("auth_data_stamps", self.authDataStamps),
        ]
        var fields = words.compactMap { name, word in word.map { JSONTree.Field(name, .string($0)) } }
        if let history = self.historyTree { fields.append(.init("history", history)) }
        if !self.historyRule.isEmpty {
            fields.append(.init("history_rules", .array(self.historyRule.compactMap(\.rule?.tree))))
        }
        if let membersListed { fields.append(.init("members_listed", membersListed.tree)) }
        if !self.origin.isEmpty {
            fields.append(.init("allowed_origins", .array(self.origin.filter { !$0.isEmpty }.map { .string($0) })))
        }
        if !self.limit.isEmpty {
            fields.append(.init("limits", .object(self.limit.map { .init($0.name, $0.limit.tree) })))
        }
        if let grace { fields.append(.init("grace_seconds", grace.tree)) }
        return fields
    }

    private var historyTree: JSONTree? {
        if self.history == .off { return .null }
        let count = self.history?.count.map { JSONTree.Field("count", .integer($0)) }
        let age = self.historyAge.map { JSONTree.Field("age_seconds", $0.tree) }
        let fields = [count, age].compactMap(\.self)
        return fields.isEmpty ? nil : .object(fields)
    }
}
