import RoomClient

/// A member, or another sender, as the full screen shows it.
struct ChatMember: Equatable, Sendable {
    let person: Person
    /// The user that its token names.
    var user: String?

    init(person: Person, user: String? = nil) {
        self.person = person
        self.user = user
    }

    init(_ member: Member) {
        self.init(person: Person(member), user: member.user)
    }

    init(_ sender: MessageSender) {
        self.init(person: Person(sender))
        if case .member(let member) = sender { self.user = member.user }
    }

    var id: String { self.person.id }
    var name: String { self.person.shownName }

    /// Whom it stands for: a user, on whatever connection, or this one session.
    var identity: String { self.user.map { "user \($0)" } ?? "id \(self.id)" }

    /// What tells it from others of the same name in a few letters: the user, or the beginning of the id.
    var mark: String {
        TerminalText.line(self.user ?? String(self.id.prefix(Self.idLength))).shortened(toColumns: Self.longestMark)
    }

    private static let idLength = 5
    private static let longestMark = 16
}

/// The people of one room: those who are here, and those who were. Pure.
struct RoomPeople: Sendable {
    private static let mostKnown = 10_000

    /// By name.
    private(set) var present: [ChatMember] = []
    /// Also in a room that is too large to list its members.
    private(set) var count = 0
    /// Names that more than one of them has, in lower case.
    private(set) var sharedNames: Set<String> = []
    /// Everybody whom this chat has seen here, by id, and when: a higher number is later.
    private var known: [String: (member: ChatMember, seen: Int)] = [:]
    private var sightings = 0
    var typing = TypingIndicators()

    mutating func listed(_ members: [ChatMember], count: Int) {
        for member in members { self.met(member) }
        self.present = members
        self.count = max(count, members.count)
        self.order()
    }

    mutating func joined(_ member: ChatMember) {
        self.met(member)
        if !self.present.contains(where: { $0.id == member.id }) { self.count += 1 }
        self.put(member)
    }

    mutating func left(_ member: ChatMember) {
        self.met(member)
        self.typing.ended(member.id)
        self.present.removeAll { $0.id == member.id }
        self.count = max(self.count - 1, self.present.count)
        self.order()
    }

    /// - Returns: what it was before.
    mutating func updated(_ member: ChatMember) -> ChatMember? {
        self.met(member)
        let earlier = self.present.first { $0.id == member.id }
        if earlier != nil { self.put(member) }
        return earlier
    }

    mutating func met(_ member: ChatMember) {
        if self.known.count >= Self.mostKnown { self.known.removeAll() }
        self.sightings += 1
        self.known[member.id] = (member, self.sightings)
    }

    private mutating func put(_ member: ChatMember) {
        self.present.removeAll { $0.id == member.id }
        self.present.append(member)
        self.order()
    }

    private mutating func order() {
        self.present.sort { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
        var identities: [String: Set<String>] = [:]
        for member in self.present { identities[member.name.lowercased(), default: []].insert(member.identity) }
        self.sharedNames = Set(identities.filter { $0.value.count > 1 }.keys)
    }

    /// - Returns: ` (luke)` for one whose name is not its alone.
    func distinction(of member: ChatMember) -> String {
        self.sharedNames.contains(member.name.lowercased()) ? " (\(member.mark))" : ""
    }

    func member(_ id: String?) -> ChatMember? { id.flatMap { self.known[$0]?.member } }

    func names(except id: String?) -> [String] {
        Set(self.known.values.filter { $0.member.id != id }.compactMap(\.member.person.name)).sorted()
    }

    /// Those whom a moderator may mean, the one seen last in front.
    ///
    /// - Parameter isObservable: whether the room tells who is here.
    func targets(except id: String?, isObservable: Bool) -> [ModerationTarget.KnownMember] {
        let present = Set(self.present.map(\.id))
        return self.known.values.filter { $0.member.id != id }.sorted { $0.seen > $1.seen }.map { known in
            ModerationTarget.KnownMember(
                person: known.member.person,
                user: known.member.user,
                isPresent: isObservable ? present.contains(known.member.id) : nil
            )
        }
    }
}
