import RoomClient

/// A member, or another sender, as the full screen shows it.
struct ChatMember: Equatable, Sendable {
    let person: Person
    /// The user that its token names.
    let user: String?
    /// Names are compared by it (`TerminalText.key`).
    let nameKey: String
    /// Whether it can be in a room.
    let isMember: Bool

    init(person: Person, user: String? = nil, isMember: Bool = true) {
        self.person = person
        self.user = user
        self.nameKey = TerminalText.key(person.shownName)
        self.isMember = isMember
    }

    init(_ member: Member) {
        self.init(person: Person(member), user: member.user)
    }

    init(_ sender: MessageSender) {
        switch sender {
        case .member(let member): self.init(member)
        case .service: self.init(person: Person(sender), isMember: false)
        }
    }

    var id: String { self.person.id }
    var name: String { self.person.shownName }
    var wholeName: String { self.person.wholeName ?? self.name }

    /// Whether both are one user, on whatever connections, or one session.
    func isSame(as other: ChatMember) -> Bool {
        self.user == nil && other.user == nil ? self.id == other.id : TerminalText.isSameUser(self.user, other.user)
    }

    /// Tells it from others of the same name in a few letters: the user, or the beginning of the id.
    var mark: String {
        let mark = self.user.map(TerminalText.user) ?? TerminalText.line(String(self.id.prefix(Self.idLength)))
        return mark.shortened(toColumns: Self.longestMark)
    }

    private static let idLength = 5
    private static let longestMark = 16
}
