import ArgumentParser
import RoomModel

/// `roomline member ban`
struct MemberBan: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban",
        abstract: "Keep somebody out of a room, or of the whole channel.",
        discussion: AdminHelp.text(
            """
            Who is there is let go at once, without the time that a lost connection has to come back. A ban by client id ends \
            with the connection; one by user holds wherever that user comes from, where tokens say who somebody is.
            """,
            ("member ban --user luke --for 2h --reason 'spam'", "A user, for two hours, in the whole channel."),
            ("member ban Kf3Qz81LmXw0TbR --room lobby", "One connection, in one room, until \"member unban\"."),
            ("member ban --address 192.0.2.0/24 --dry-run", "Whom a ban of a network would meet now.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.impose(.ban, at: self.admin.option, client, output)
    }
}

/// `roomline member unban`
struct MemberUnban: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban",
        abstract: "Lift a ban.",
        discussion: AdminHelp.text(
            "Say whom and where as it was said to \"member ban\"; \"member bans\" shows it.",
            ("member unban --user luke", "The one for the whole channel."),
            ("member unban --address 192.0.2.0/24 --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.ban, at: self.admin.option, client, output)
    }
}

/// `roomline member mute`
struct MemberMute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Let somebody listen, but not publish.",
        discussion: AdminHelp.text(
            "The member is told, also when the mute ends. By whom a mute can be, \"member ban --help\" says.",
            ("member mute --user luke --room lobby --for 10m --reason 'calm down'", "A user, in one room."),
            ("member mute Kf3Qz81LmXw0TbR --for 1h", "One connection, in all rooms of the channel."),
            ("member mute --user luke --json | jq -r .expires", "Until when, for a script.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.impose(.mute, at: self.admin.option, client, output)
    }
}

/// `roomline member unmute`
struct MemberUnmute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "Lift a mute.",
        discussion: AdminHelp.text(
            "Say whom and where as it was said to \"member mute\"; \"member mutes\" shows it.",
            ("member unmute --user luke", "The one for the whole channel."),
            ("member unmute Kf3Qz81LmXw0TbR --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.mute, at: self.admin.option, client, output)
    }
}

/// `roomline member bans`
struct MemberBans: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "bans",
        abstract: "List who is banned.",
        discussion: AdminHelp.text(
            "Where ROOM is a dash, the ban is for the whole channel; where UNTIL is one, it holds until it is lifted.",
            ("member bans", "All of the channel \"default\" and of its rooms."),
            ("member bans --user luke --room lobby", "Whether a user is banned from a room."),
            ("member bans --json | jq -r .user", "The users, a line each.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.list.show(.ban, client, output)
    }
}

/// `roomline member mutes`
struct MemberMutes: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutes",
        abstract: "List who is muted.",
        discussion: AdminHelp.text(
            "Where ROOM is a dash, the mute is for the whole channel; where UNTIL is one, it holds until it is lifted.",
            ("member mutes", "All of the channel \"default\" and of its rooms."),
            ("member mutes --room lobby --json", "Those of one room, for a script.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminClient, _ output: AdminOutput) async throws {
        try await self.list.show(.mute, client, output)
    }
}

/// What `member bans` and `member mutes` take, and what both do with it.
struct SanctionListOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @Option(help: ArgumentHelp("Only those of this room.", valueName: "ROOM"))
    var room: String?

    @Option(help: ArgumentHelp("The channel.", valueName: "ID"))
    var channel = "default"

    func show(_ kind: Sanction.Kind, _ client: AdminClient, _ output: AdminOutput) async throws {
        var query = [(name: "kind", value: kind.rawValue)]
        if let room { query.append(("room", room)) }
        if let subject = self.subject.subject { query.append(subject.field) }
        let request = AdminRequest(.get, ["channels", self.channel, "sanctions"], query: query)
        try await client.show("sanctions", of: request, on: output) { SanctionTables.list($0, in: output.timeZone) }
    }
}
