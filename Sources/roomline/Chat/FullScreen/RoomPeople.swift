import RoomClient

/// The people of one room: those who are here, and those who were. Pure.
struct RoomPeople: Sendable {
    private static let mostKnown = 10_000
    private static let mostNames = 1_000

    /// A member whom this chat has seen here.
    private struct Known {
        var member: ChatMember
        /// The same with each name that it was seen under.
        var looks: [ChatMember] = []
        /// A higher number is later.
        var seen = 0
        /// The `seq` of its newest message here.
        var seq: UInt64?
    }

    /// The members who are here, by id.
    private(set) var present: [String: ChatMember] = [:]
    /// Also in a room that is too large to list its members.
    private(set) var count = 0
    /// The members whom this chat has seen here, by id.
    private var known: [String: Known] = [:]
    /// The ids of all who were seen under a name, by its key.
    private var namesakes: [String: Set<String>] = [:]
    /// The keys of the names under which two people were seen.
    private var shared: Set<String> = []
    private var sightings = 0
    var typing = TypingIndicators()

    mutating func listed(_ members: [ChatMember], count: Int) {
        self.present = Dictionary(members.map { ($0.id, $0) }) { $1 }
        self.count = max(count, members.count)
        for member in members { self.met(member) }
    }

    mutating func joined(_ member: ChatMember) {
        if self.present.updateValue(member, forKey: member.id) == nil { self.count += 1 }
        self.met(member)
    }

    mutating func left(_ member: ChatMember) {
        self.met(member)
        self.typing.ended(member.id)
        self.present[member.id] = nil
        self.count = max(self.count - 1, self.present.count)
    }

    /// - Returns: what it was before.
    mutating func updated(_ member: ChatMember) -> ChatMember? {
        let earlier = self.present[member.id]
        if earlier != nil { self.present[member.id] = member }
        self.met(member)
        return earlier
    }

    /// - Parameter seq: of the message, which may be an old one.
    mutating func wrote(_ sender: ChatMember, seq: UInt64?) {
        guard sender.isMember else { return }
        let newest = self.known[sender.id]?.seq ?? 0
        self.met(sender, isNews: self.present[sender.id] == nil && seq ?? 0 >= newest)
        self.known[sender.id]?.seq = max(newest, seq ?? 0)
    }

    /// - Parameter isNews: nothing newer is known of it.
    private mutating func met(_ member: ChatMember, isNews: Bool = true) {
        if self.known[member.id] == nil, self.known.count >= Self.mostKnown { self.forget() }
        var known = self.known[member.id] ?? Known(member: member)
        self.sightings += 1
        known.seen = self.sightings
        if isNews { known.member = self.withUser(member) }
        if !known.looks.contains(where: { $0.wholeName == member.wholeName && $0.nameKey == member.nameKey }) {
            known.looks = known.looks.suffix(Self.mostNames - 1) + [member]
            self.namesakes[member.nameKey, default: []].insert(member.id)
        }
        self.known[member.id] = known
        self.tellApart(known)
    }

    /// Two people of one name are told apart from now on, also where one of them leaves, or takes another name.
    private mutating func tellApart(_ known: Known) {
        for name in known.looks.map(\.nameKey) where !self.shared.contains(name) {
            let others = self.namesakes[name, default: []].compactMap { self.known[$0]?.member }
            if others.contains(where: { self.isAnother($0, known.member) }) { self.shared.insert(name) }
        }
    }

    /// Whether it is known that they are two: a session that was here before another one may be of the same person.
    private func isAnother(_ one: ChatMember, _ other: ChatMember) -> Bool {
        let areHere = self.present[one.id] != nil && self.present[other.id] != nil
        return !one.isSame(as: other) && (areHere || one.user != nil && other.user != nil)
    }

    /// Half of those who are known, first those who neither are here nor have written.
    private mutating func forget() {
        let ranked = self.known.values.sorted { self.rank(of: $0) < self.rank(of: $1) }.suffix(Self.mostKnown / 2)
        (self.known, self.namesakes) = ([:], [:])
        for known in ranked {
            self.known[known.member.id] = known
            for look in known.looks { self.namesakes[look.nameKey, default: []].insert(look.id) }
        }
    }

    private func rank(of known: Known) -> (Int, Int) {
        (self.present[known.member.id] == nil && known.seq == nil ? 0 : 1, known.seen)
    }

    /// The member with its user, which the list of the members says, and a message need not.
    private func withUser(_ member: ChatMember) -> ChatMember {
        ChatMember(person: member.person, user: member.user ?? self.known[member.id]?.member.user)
    }

    /// By name.
    var ordered: [ChatMember] { self.present.values.sorted { ($0.nameKey, $0.id) < ($1.nameKey, $1.id) } }

    /// - Returns: ` (luke)` where two people of the name were seen, or the name looks as if it had such a mark.
    func distinction(of member: ChatMember) -> String {
        guard self.known[member.id] != nil, self.shared.contains(member.nameKey) || member.name.hasSuffix(")") else {
            return ""
        }
        return " (\(self.withUser(member).mark))"
    }

    /// The users of all who are here; `nil` where they are not all listed.
    var users: [String]? {
        self.count > 0 && self.count == self.present.count ? self.present.values.compactMap(\.user) : nil
    }

    func member(_ id: String?) -> ChatMember? { id.flatMap { self.known[$0]?.member } }

    /// The people whom a moderator may mean: first the present ones, and then the one seen last.
    ///
    /// - Parameters:
    ///   - moderator: its id.
    ///   - showsMembers: whether the broker shows who is here.
    func targets(for moderator: String?, showsMembers: Bool) -> [ModerationTarget.KnownMember] {
        let order = { (known: Known) in (self.present[known.member.id] == nil ? 0 : 1, known.seen) }
        let areOthersGone = showsMembers && self.users != nil
        return self.known.values.sorted { order($0) > order($1) }.map { known in
            ModerationTarget.KnownMember(
                member: known.member,
                names: known.looks.flatMap { $0.wholeName == $0.name ? [$0.name] : [$0.wholeName, $0.name] },
                isPresent: self.present[known.member.id] != nil ? true : areOthersGone ? false : nil,
                isOneself: known.member.id == moderator,
                seq: known.seq
            )
        }
    }
}
