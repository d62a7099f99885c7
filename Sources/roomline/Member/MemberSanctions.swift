import ArgumentParser
import RoomAdmin

/// `roomline member ban`
struct MemberBan: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban",
        abstract: "Ban somebody from a room, or from the whole channel.",
        discussion: AdminHelp.text(
            """
            Members that the ban matches are removed at once, and cannot resume their session. A ban by client id is worth \
            nothing after the next connection, which has another id. A ban by user matches that user on every connection; it \
            needs tokens that name the user.
            """,
            ("member ban --user luke --for 2h --reason 'spam'", "A user, for two hours, in the whole channel."),
            ("member ban Kf3Qz81LmXw0TbR --room lobby", "One connection, in one room, until \"member unban\"."),
            (
                "member ban --user luke --redact --reason 'spam'",
                "Remove also all stored messages of the user; show how many there are, and ask first."
            ),
            ("member ban --address 192.0.2.0/24 --dry-run", "Show the members that a ban of a network would match now.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @Flag(help: "Remove the content of all their stored messages, too: in the room, or in all rooms of the channel.")
    var redact = false

    @Flag(help: "With --redact: do not ask for confirmation.")
    var yes = false

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        guard self.redact else {
            if self.yes {
                throw ValidationError("--yes goes with --redact; a ban alone can be lifted, and asks nothing.")
            }
            return
        }
        if self.sanction.subject.address != nil {
            throw ValidationError("messages are not stored with an address: --redact needs MEMBER or --user.")
        }
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let sanction = self.sanction
        let redaction = BanRedaction(
            subject: try sanction.subject.required(),
            place: sanction.place,
            reason: sanction.reason,
            isConfirmed: self.yes
        )
        let broker = self.admin.option
        try await sanction.impose(.ban, at: broker, redacting: self.redact ? redaction : nil, client, output)
    }
}

/// `roomline member unban`
struct MemberUnban: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban",
        abstract: "Lift a ban.",
        discussion: AdminHelp.text(
            "Give the same subject and the same room as for \"member ban\"; \"member bans\" lists them.",
            ("member unban --user luke", "Lift the ban for the whole channel."),
            ("member unban --address 192.0.2.0/24 --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.ban, at: self.admin.option, client, output)
    }
}

/// `roomline member mute`
struct MemberMute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute",
        abstract: "Mute somebody: they can read, but not publish.",
        discussion: AdminHelp.text(
            "The member is told when the mute begins and when it ends. \"member ban --help\" explains the subjects.",
            ("member mute --user luke --room lobby --for 10m --reason 'calm down'", "A user, in one room."),
            ("member mute Kf3Qz81LmXw0TbR --for 1h", "One connection, in all rooms of the channel."),
            ("member mute --user luke --json | jq -r .expires", "The end of the mute, for a script.")
        )
    )

    @OptionGroup
    var sanction: ImpositionOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await self.sanction.impose(.mute, at: self.admin.option, client, output)
    }
}

/// `roomline member unmute`
struct MemberUnmute: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute",
        abstract: "Lift a mute.",
        discussion: AdminHelp.text(
            "Give the same subject and the same room as for \"member mute\"; \"member mutes\" lists them.",
            ("member unmute --user luke", "Lift the mute for the whole channel."),
            ("member unmute Kf3Qz81LmXw0TbR --room lobby", "The one of a room.")
        )
    )

    @OptionGroup
    var sanction: LiftOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await self.sanction.lift(.mute, at: self.admin.option, client, output)
    }
}

/// `roomline member bans`
struct MemberBans: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "bans",
        abstract: "List the bans.",
        discussion: AdminHelp.text(
            "A dash under ROOM: the ban is for the whole channel. A dash under UNTIL: it has no end.",
            ("member bans", "All of the channel \"default\" and its rooms."),
            ("member bans --user luke --room lobby", "The ban of one user from one room, if there is one."),
            ("member bans --json | jq -r .user", "The users, one a line.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await self.list.show(.ban, client, output)
    }
}

/// `roomline member mutes`
struct MemberMutes: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutes",
        abstract: "List the mutes.",
        discussion: AdminHelp.text(
            "A dash under ROOM: the mute is for the whole channel. A dash under UNTIL: it has no end.",
            ("member mutes", "All of the channel \"default\" and its rooms."),
            ("member mutes --room lobby --json", "The mutes of one room, for a script.")
        )
    )

    @OptionGroup
    var list: SanctionListOptions

    @OptionGroup
    var admin: AdminOptions

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        try await self.list.show(.mute, client, output)
    }
}

/// Options of `member bans` and `member mutes`, and the work that both do with them.
struct SanctionListOptions: ParsableArguments {
    @OptionGroup
    var subject: SubjectOptions

    @Option(help: ArgumentHelp("Only sanctions of this room.", valueName: "ROOM"), completion: BrokerNames.rooms)
    var room: String?

    @OptionGroup
    var channel: ChannelOption

    func show(_ kind: AdminSanction.Kind, _ client: AdminSession, _ output: AdminOutput) async throws {
        if let subject = self.subject.subject, subject.isMisnamed, let word = subject.word {
            throw CommandFailure(
                code: .usage,
                text: "\(word) is not a client id; if it is a user, say --user \(word.shellQuoted)"
            )
        }
        let list = AdminList.sanctions(
            of: self.channel.channel,
            kind: kind,
            room: self.room,
            subject: self.subject.subject?.asked
        )
        try await client.show(list, on: output) { SanctionTables.list($0, in: output.timeZone) }
    }
}
