import ArgumentParser
import RoomModel

/// Whom a ban or a mute is for: a client id, a user or an address.
struct SubjectOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A client id, as \"member list\" shows it. A new connection has another.",
            valueName: "MEMBER"
        )
    )
    var member: String?

    @Option(help: ArgumentHelp("Who it is by its token, on every connection.", valueName: "USER"))
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
                    + "where nothing is set behind the prefix."
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
            throw ValidationError("Say whom: a client id, --user USER or --address ADDRESS.")
        }
        return subject
    }

    private var range: AddressRange? { self.address.flatMap { AddressRange($0) } }
}
