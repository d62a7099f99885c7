import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// `roomline channel set`
struct ChannelSet: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change settings of a channel, at once.",
        discussion: AdminHelp.text(
            """
            What is not named stays as it is. Nobody is disconnected, but for clients without a token where --auth required \
            is new. Where rooms would keep fewer messages, or none, you are asked first. A \
            setting that --channel of "roomline serve" names cannot be changed here.
            """,
            ("channel set shop --name 'Support chat' --grace 60s", "Two settings."),
            ("channel set shop --limit members_per_room=200 --limit rooms=none", "A limit, and none."),
            ("channel set shop --default durability --default limits", "What a new channel has."),
            ("channel set shop --history off --yes", "In a script, where nobody can be asked.")
        )
    )

    @Argument(help: ArgumentHelp("The channel.", valueName: "ID"), completion: BrokerNames.channels)
    var id: String

    @OptionGroup(title: "Settings")
    var settings: ChannelSettingOptions

    @Option(
        name: .customLong("default"),
        help: ArgumentHelp(
            "A setting to bring back to its default, by the name in \"channel show\".",
            valueName: "SETTING"
        )
    )
    var defaults: [String] = []

    @Option(help: ArgumentHelp("Only if the channel still has this version.", valueName: "N"))
    var ifVersion: Int64?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        var names: Set<String> = []
        for field in self.fields where !names.insert(field.name).inserted {
            throw ValidationError("\(field.name) is set and brought back to its default: say one of them.")
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        // Not in validate(), which comes before an option that there is not is found.
        guard !self.fields.isEmpty else {
            throw CommandFailure(code: .usage, text: "name at least one setting, such as --history 1000")
        }
        let known = ChannelSetting.entries.map(\.name)
        for name in self.defaults where !known.contains(name) {
            let text = "--default cannot be \(name.shown): give one of \(known.joined(separator: ", "))"
            throw CommandFailure(code: .usage, text: text)
        }
        let version = self.yes ? nil : try await self.versionAskedAbout(client)
        let change = AdminCall.changeChannel(self.id, fields: self.fields, ifVersion: self.ifVersion ?? version)
        try output.write(try await client.answer(to: change)) { ChannelTables.sheet($0, in: output.timeZone) }
    }

    /// Asks where the rooms of the channel may keep less than now.
    ///
    /// - Returns: the version of the channel that the question was about; `nil` where none was needed.
    private func versionAskedAbout(_ client: AdminSession) async throws -> Int64? {
        guard self.fields.contains(where: { KeptHistories.settings.contains($0.name) }) else { return nil }
        let channel = try await client.send(.channel(self.id))
        let (old, new) = (KeptHistories(channel), KeptHistories(channel, changedBy: self.fields))
        guard new.mayKeepLess(than: old) else { return nil }
        let deed = "has rooms of \(self.id) keep less than now, and what they keep beyond it is lost for good"
        try Confirmation.ask(deed, isGiven: false)
        return channel.version
    }

    private var fields: [JSONTree.Field] {
        self.settings.fields + self.defaults.map { .init($0, Self.standard(of: $0)) }
    }

    /// Brings a setting back to its default. Null would turn a history off; in its fields, null is their default.
    private static func standard(of name: String) -> JSONTree {
        guard name == ChannelSetting.Group.history.rawValue else { return .null }
        return .object(ChannelSetting.settings(of: .history).map { .init($0.key, .null) })
    }
}
