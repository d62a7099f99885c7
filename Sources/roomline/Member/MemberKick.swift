import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel

/// `roomline member kick`
struct MemberKick: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "kick",
        abstract: "Kick a member out of a room, or out of the channel.",
        discussion: AdminHelp.text(
            """
            The member can join again at once; "member ban" prevents that. With --user or --address, the command looks for the \
            members in all rooms of the channel, or in the room of --room, and kicks each that it finds.
            """,
            ("member kick Kf3Qz81LmXw0TbR --room lobby --reason 'off topic'", "Kick a member out of one room."),
            ("member kick Kf3Qz81LmXw0TbR", "Kick a member out of the channel: its connection is closed."),
            ("member kick --user luke", "Kick all members that are this user by their token."),
            ("member kick --address 192.0.2.0/24 --dry-run", "Only show the members that would be kicked.")
        )
    )

    @OptionGroup
    var subject: SubjectOptions

    @OptionGroup
    var place: PlaceOptions

    @Option(help: ArgumentHelp("The reason. The member sees it, and it is in the audit log.", valueName: "TEXT"))
    var reason: String?

    @Flag(help: "Change nothing; only show the members that would be kicked.")
    var dryRun = false

    @OptionGroup
    var admin: AdminOptions

    func validate() throws {
        _ = try self.subject.required()
    }

    func run(_ client: AdminSession, _ output: AdminOutput) async throws {
        let subject = try self.subject.required()
        if case .client(let id) = subject, !self.dryRun {
            try await self.kick(id, isMisnamed: subject.isMisnamed, client)
            if !output.isJSON { CommandFailure.say("\(id) is out of \(self.place.words)") }
            return
        }
        // The list of a room would not tell that its channel does not exist.
        _ = try await client.answer(to: .channel(self.place.channel))
        let met = try await PresentMembers(client, in: self.place).met(by: subject)
        if self.dryRun { return try self.show(met, output) }
        let ids = Set(met.map(\.member.id)).sorted()
        guard !ids.isEmpty else {
            throw CommandFailure(
                code: .refused,
                text: "no member of \(subject.words) is in \(self.place.room == nil ? "a room" : "the room") of "
                    + "\(self.place.words); \"roomline member list ROOM\(ChannelOption.option(self.place.channel))\" shows who is"
            )
        }
        var kicked = 0
        for id in ids {
            let request = self.call(id).request
            let response = try await client.exchange(request)
            switch response.status {
            case 200..<300: kicked += 1
            // It has left meanwhile.
            case 404: continue
            default: throw await client.failure(of: response, to: request)
            }
        }
        if output.isJSON { return }
        let who = kicked == 1 ? "1 member of \(subject.words) is" : "\(kicked) members of \(subject.words) are"
        CommandFailure.say("\(who) out of \(self.place.words)")
    }

    /// - Parameter isMisnamed: it cannot be the id of a member.
    private func kick(_ id: String, isMisnamed: Bool, _ client: AdminSession) async throws {
        let request = self.call(id).request
        let response = try await client.exchange(request)
        guard !response.isSuccess else { return }
        let refusal = AdminError(refusal: response, of: client.address)
        let failure = await client.failure(refusal, of: request)
        guard isMisnamed, ["unknown_member", "member_not_found"].contains(refusal.code.rawValue) else { throw failure }
        throw CommandFailure(
            code: failure.code,
            text: "\(failure.text) (a user is named by --user \(id.shellQuoted))"
        )
    }

    private func show(_ met: [PresentMembers.Presence], _ output: AdminOutput) throws {
        if output.isJSON {
            for presence in met { try output.write(presence.tree.bytes) }
        } else {
            try output.write(MemberTables.presences(met))
        }
        let count = Set(met.map(\.member.id)).count
        CommandFailure.say("dry run: \(Counted.text(count, "member")) would be kicked")
    }

    private func call(_ id: String) -> AdminCall<Void> {
        .removeMember(id, from: self.place.room, in: self.place.channel, reason: self.reason)
    }
}
