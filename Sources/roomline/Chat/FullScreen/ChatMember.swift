import RoomClient

/// A member, or another sender, as the full screen shows it.
struct ChatMember: Equatable, Sendable {
    let person: Person
    /// The user that its token names.
    let user: String?
    /// Names are compared in lower case.
    let nameKey: String

    init(person: Person, user: String? = nil) {
        self.person = person
        self.user = user
        self.nameKey = person.shownName.lowercased()
    }

    init(_ member: Member) {
        self.init(person: Person(member), user: member.user)
    }

    init(_ sender: MessageSender) {
        switch sender {
        case .member(let member): self.init(member)
        case .service: self.init(person: Person(sender))
        }
    }

    var id: String { self.person.id }
    var name: String { self.person.shownName }

    /// Whether both are one user, on whatever connections, or one session.
    func isSame(as other: ChatMember) -> Bool {
        self.user == nil && other.user == nil ? self.id == other.id : self.user == other.user
    }

    /// Tells it from others of the same name in a few letters: the user, or the beginning of the id.
    var mark: String {
        TerminalText.line(self.user ?? String(self.id.prefix(Self.idLength))).shortened(toColumns: Self.longestMark)
    }

    private static let idLength = 5
    private static let longestMark = 16
}

/// The people of one room: those who are here, and those who were. Pure.
struct RoomPeople: Sendable {
    private static let mostKnown = 10_000

    private(set) var present: [ChatMember] = []
    /// Also in a room that is too large to list its members.
    private(set) var count = 0
    private struct Known {
        var member: ChatMember
        /// A higher number is later.
        var seen: Int
        /// The `seq` of its newest message here.
        var seq: UInt64?
    }

    /// Everybody whom this chat has seen here, by id.
    private var known: [String: Known] = [:]
    private var sightings = 0
    var typing = TypingIndicators()

    mutating func listed(_ members: [ChatMember], count: Int) {
        for member in members { self.met(member) }
        self.present = members
        self.count = max(count, members.count)
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
    }

    /// - Returns: what it was before.
    mutating func updated(_ member: ChatMember) -> ChatMember? {
        self.met(member)
        let earlier = self.present.first { $0.id == member.id }
        if earlier != nil { self.put(member) }
        return earlier
    }

    /// - Parameter seq: of its message.
    mutating func met(_ member: ChatMember, seq: UInt64? = nil) {
        if self.known.count >= Self.mostKnown { self.known.removeAll() }
        self.sightings += 1
        let newest = seq ?? self.known[member.id]?.seq
        self.known[member.id] = Known(member: self.withUser(member), seen: self.sightings, seq: newest)
    }

    /// The member with its user, which the list of the members says, and a message need not.
    private func withUser(_ member: ChatMember) -> ChatMember {
        ChatMember(person: member.person, user: member.user ?? self.known[member.id]?.member.user)
    }

    private mutating func put(_ member: ChatMember) {
        self.present.removeAll { $0.id == member.id }
        self.present.append(member)
    }

    /// By name.
    var ordered: [ChatMember] { self.present.sorted { ($0.nameKey, $0.id) < ($1.nameKey, $1.id) } }

    /// - Returns: ` (luke)` where more than one of those who are here has the name.
    func distinction(of member: ChatMember) -> String {
        let namesakes = self.present.lazy.filter { $0.nameKey == member.nameKey }
        guard let first = namesakes.first, namesakes.contains(where: { !$0.isSame(as: first) }) else { return "" }
        return " (\(self.withUser(member).mark))"
    }

    /// The users of all who are here; `nil` where they are not all listed.
    var users: Set<String>? {
        self.count > 0 && self.count == self.present.count ? Set(self.present.compactMap(\.user)) : nil
    }

    func member(_ id: String?) -> ChatMember? { id.flatMap { self.known[$0]?.member } }

    func names(except id: String?) -> [String] {
        Set(self.known.values.filter { $0.member.id != id }.compactMap(\.member.person.name)).sorted()
    }

    /// Those whom a moderator may mean, the one seen last in front.
    ///
    /// - Parameter showsMembers: whether the broker shows who is here.
    func targets(except id: String?, showsMembers: Bool) -> [ModerationTarget.KnownMember] {
        let present = Set(self.present.map(\.id))
        return self.known.values.filter { $0.member.id != id }.sorted { $0.seen > $1.seen }.map { known in
            ModerationTarget.KnownMember(
                person: known.member.person,
                user: known.member.user,
                isPresent: showsMembers ? present.contains(known.member.id) : nil,
                seq: known.seq
            )
        }
    }
}
