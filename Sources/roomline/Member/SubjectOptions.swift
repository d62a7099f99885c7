import ArgumentParser
import RoomAdmin
import RoomModel

/// The subject of a ban or a mute: a client id, a user or an address.
struct SubjectOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A client id, as \"member list\" shows it. Each new connection has another id.",
            valueName: "MEMBER"
        ),
        completion: BrokerNames.members
    )
    var member: String?

    @Option(
        help: ArgumentHelp("The user that the token names, on every connection.", valueName: "USER"),
        completion: BrokerNames.users
    )
    var user: String?

    @Option(help: ArgumentHelp("An address, or a network such as 192.0.2.0/24 or 2001:db8::/32.", valueName: "ADDRESS"))
    var address: String?

    func validate() throws {
        guard [self.member, self.user, self.address].compactMap(\.self).count <= 1 else {
            throw ValidationError("MEMBER, --user and --address exclude each other: give one of them.")
        }
        guard self.address == nil || self.range != nil else {
            throw ValidationError(
                "--address is \(self.address ?? ""): give an address such as 192.0.2.7, or a network such as 192.0.2.0/24, "
                    + "with no bits set after the prefix."
            )
        }
    }

    /// `nil` where nobody is named.
    var subject: NamedSubject? {
        if let user { return .user(user) }
        if let member { return .client(member) }
        return self.range.map { .address($0) }
    }

    /// For commands that are about one.
    ///
    /// - Throws: where nobody is named.
    func required() throws -> NamedSubject {
        guard let subject = self.subject else {
            throw ValidationError("Name somebody: a client id, --user USER or --address ADDRESS.")
        }
        return subject
    }

    private var range: AddressRange? { self.address.flatMap { AddressRange($0) } }
}

/// The subject of a ban or a mute, as the command line names it.
enum NamedSubject: Equatable, Sendable {
    /// The user that the member's token names.
    case user(String)
    /// One client id.
    case client(String)
    case address(AddressRange)

    /// As the admin API is asked.
    var asked: AdminSubject {
        switch self {
        case .user(let user): .user(user)
        case .client(let id): .client(id)
        case .address(let range): .address("\(range)")
        }
    }

    /// What was given as an id or a user, and may be meant as a name; `nil` for an address.
    var word: String? {
        switch self {
        case .user(let text), .client(let text): text
        case .address: nil
        }
    }

    /// What was meant where there is nothing of the subject itself.
    var alternatives: [NamedSubject] {
        if case .client(let word) = self, self.isMisnamed { [.user(word)] } else { [] }
    }

    /// Whether it was given as a client id and cannot be one, so that a user or a name was meant.
    var isMisnamed: Bool {
        guard case .client(let id) = self else { return false }
        return id.utf8.count != ClientID.length || !id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// For people: `the user luke`
    var words: String {
        switch self {
        case .user(let user): "the user \(TerminalText.user(user))"
        case .client(let id): "the client \(id)"
        case .address(let range): "the address \(range)"
        }
    }

    /// Completes "nobody there …".
    var predicate: String {
        switch self {
        case .user, .client: "is \(self.words)"
        case .address(let range): range.prefix == 128 ? "has \(self.words)" : "has an address of \(range)"
        }
    }

    /// Whether a member that is there now is meant.
    func matches(_ member: AdminMember) -> Bool {
        switch self {
        case .user(let user): TerminalText.isSameUser(member.user, user)
        case .client(let id): member.id == id
        case .address(let range):
            (member.connection?.address).flatMap { IPAddress($0) }.map { range.contains($0) } ?? false
        }
    }
}

/// Where a moderator's act holds: in one room, or in the whole channel.
struct PlaceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Only in this room. (default: in the whole channel)", valueName: "ROOM"),
        completion: BrokerNames.rooms
    )
    var room: String?

    @OptionGroup
    var channelOption: ChannelOption

    var channel: String { self.channelOption.channel }

    /// As it stands in a command for the same place; empty for the whole of the default channel.
    var option: String {
        (self.room.map { " --room \($0.shellQuoted)" } ?? "") + ChannelOption.option(self.channel)
    }

    /// For people.
    var words: String {
        self.room.map { "the room \($0) of \(self.channel)" } ?? "the channel \(self.channel)"
    }

    /// Where its members are, for people: who is connected may be in no room.
    var membersPlace: String { self.room == nil ? "a room of \(self.words)" : self.words }
}
