import RoomClient
import RoomModel

/// The member that a moderator means: finds the name at the start of the text that was entered, and the text behind it.
/// Pure.
struct ModerationTarget: Equatable, Sendable {
    /// How it is called.
    let name: String
    /// Its connections, the one seen last in front; none for one that was named by `user:`, who may be here or not.
    let clientIDs: [String]
    /// `nil` where nobody knows who it is beyond its connection.
    let user: String?
    /// Whether this chat has seen it.
    let isKnown: Bool
    /// The text behind the name.
    let rest: String

    /// The name, and the user where that is another word.
    var shown: String {
        guard let user else { return self.name }
        return self.clientIDs.isEmpty ? "the user \(user)" : "\(self.name) (\(user))"
    }

    /// Somebody whom this chat has seen.
    struct KnownMember: Equatable, Sendable {
        let person: Person
        var user: String?
        /// Whether it is here now; `nil` where the room does not tell.
        let isPresent: Bool?
        /// The `seq` of the newest message of its own that this chat has seen.
        var seq: UInt64?
    }

    /// The text that was entered names nobody, or more than one.
    struct ParseError: Error, Equatable {
        let text: String
    }

    /// The people who have left that a name may mean, beside those who are here.
    enum Scope: Equatable, Sendable {
        /// None.
        case here
        /// Other users, and beside users those without one who have written.
        case users
        /// All whose messages may be there.
        case authors
    }

    /// - Parameters:
    ///   - text: `NAME …`, `NAME (USER) …`, `USER …`, `ID …`, `user:U …` or `id:ID …`. Where it is the user of one and the name of
    ///     another, the moderator has to say which.
    ///   - known: the one seen last in front.
    static func find(
        _ text: String,
        among known: [KnownMember],
        _ scope: Scope = .users
    ) throws(ParseError) -> ModerationTarget {
        let words = text.split(separator: " ", maxSplits: 1)
        let word = words.first.map(String.init) ?? ""
        let behind = words.dropFirst().first.map(String.init) ?? ""
        if word.hasPrefix("user:"), word.count > 5 {
            let user = String(word.dropFirst(5))
            return ModerationTarget(name: user, clientIDs: [], user: user, isKnown: true, rest: behind)
        }
        if word.hasPrefix("id:"), word.count > 3 {
            let id = String(word.dropFirst(3))
            let found = known.first { $0.person.id == id }
            return ModerationTarget(
                name: found?.person.shownName ?? id,
                clientIDs: [id],
                user: found?.user,
                isKnown: found != nil,
                rest: behind
            )
        }
        if let found = known.first(where: { $0.person.id == word }) {
            let (name, user) = (found.person.shownName, found.user)
            return ModerationTarget(name: name, clientIDs: [word], user: user, isKnown: true, rest: behind)
        }
        return try self.named(text, word, among: known, scope)
    }

    /// Whether the text may begin with the name of somebody.
    static func mayName(_ member: KnownMember, _ text: String) -> Bool {
        Self.begins(text, with: member.person.shownName) || text.hasPrefix(member.person.id)
            || text.hasPrefix("id:\(member.person.id)")
    }

    /// The longest name that the text begins with.
    private static func named(
        _ text: String,
        _ word: String,
        among known: [KnownMember],
        _ scope: Scope
    ) throws(ParseError) -> ModerationTarget {
        let matching = known.filter { Self.begins(text, with: $0.person.shownName) }
        let longest = matching.map(\.person.shownName.count).max() ?? 0
        let named = matching.filter { $0.person.shownName.count == longest }
        let users = Self.meant(among: known.filter { $0.user == word }, scope)
        var found = Self.meant(among: named, scope)
        var rest = text.dropFirst(longest).drop { $0 == " " }
        if found.isEmpty {
            found = users
            rest = text.dropFirst(word.count).drop { $0 == " " }
        } else if let mark = Self.mark(at: rest) {
            let marked = named.filter { $0.user == mark.text || $0.user == nil && $0.person.id.hasPrefix(mark.text) }
            guard !marked.isEmpty else {
                throw ParseError(text: "nobody called \(named[0].person.shownName) is (\(mark.text)) here")
            }
            (found, rest) = (Self.meant(among: marked, scope), mark.rest)
        } else if longest == word.count {
            found += users.filter { user in !found.contains { $0.user == user.user } }
        }
        guard let first = found.first else {
            if !named.isEmpty { throw ParseError(text: "\(named[0].person.shownName) is not here any more") }
            let nearest = NearestName.of(word, among: known.map(\.person.shownName))
            let guess = nearest.map { "; did you mean \($0)?" } ?? ""
            throw ParseError(text: "nobody here is called \(word.shortened(toColumns: 30))\(guess)")
        }
        guard found.count == 1 || first.user != nil && found.allSatisfy({ $0.user == first.user }) else {
            var users: Set<String> = []
            let distinct = found.filter { $0.user.map { users.insert($0).inserted } ?? true }
            let ids = distinct.map { member in
                member.person.shownName + member.person.distinction(user: member.user)
                    + (member.isPresent == false ? " who has left" : "")
            }.joined(separator: ", ")
            throw ParseError(
                text: "more than one is called \(word); say which as NAME (USER), user:USER or id:ID: \(ids)"
            )
        }
        return ModerationTarget(
            name: first.person.shownName,
            clientIDs: found.map(\.person.id),
            user: first.user,
            isKnown: true,
            rest: String(rest)
        )
    }

    /// The people of one name who may be meant, present ones in front; all of them where the room does not tell who is present.
    private static func meant(among found: [KnownMember], _ scope: Scope) -> [KnownMember] {
        guard !found.contains(where: { $0.isPresent == nil }) else { return found }
        let (here, gone) = (found.filter { $0.isPresent == true }, found.filter { $0.isPresent == false })
        switch scope {
        case .here: return here
        case .users:
            let persons = here + gone.filter { $0.user != nil }
            // beside users, somebody without one is another person; otherwise it may be an earlier session of the same
            let others = persons.contains { $0.user != nil } ? gone.filter { $0.user == nil && $0.seq != nil } : []
            return persons.isEmpty ? Array(gone.prefix(1)) : persons + others
        case .authors: return here + gone
        }
    }

    /// What stands in parentheses in front, as the list of the members has it behind a name, and the text behind that.
    private static func mark(at text: Substring) -> (text: String, rest: Substring)? {
        guard text.first == "(", let end = text.firstIndex(of: ")") else { return nil }
        let inside = text[text.index(after: text.startIndex)..<end]
        return inside.isEmpty ? nil : (String(inside), text[text.index(after: end)...].drop { $0 == " " })
    }

    private static func begins(_ text: String, with name: String) -> Bool {
        guard text.lowercased().hasPrefix(name.lowercased()) else { return false }
        let next = text.dropFirst(name.count).first
        return next == nil || next == " "
    }

    /// For bans and mutes: who it is, on whatever connection; or this one session.
    var subject: ModerationSubject { self.user.map { .user($0) } ?? .client(self.clientIDs.first ?? "") }

    /// All that a ban or a mute may have been set for, the one in front that it is set for now.
    var subjects: [ModerationSubject] {
        [self.subject] + self.clientIDs.map { .client($0) }.filter { $0 != self.subject }
    }

    /// The words behind the name of a ban or a mute.
    struct Term: Equatable {
        /// `nil`: until it is lifted.
        var duration: Duration?
        var reason: String?
        /// All messages of the member go, too.
        var isRedacting = false
    }

    private static let redaction = "--redact"

    /// Whether a ban with this text may be one that takes the messages along, whoever it means.
    static func mayRedact(_ text: String) -> Bool { text.split(separator: " ").contains { Self.isRedaction($0) } }

    private static func isRedaction(_ word: some StringProtocol) -> Bool { word.lowercased() == Self.redaction }

    /// `1h why`, `for 1h why`, `why 1h`, `why`, with `--redact` in front of or behind a time in front. Who writes a time as the
    /// last word means the time: without one, a ban or a mute would have no end.
    func term() throws(ParseError) -> Term {
        var (term, words) = (Term(), self.rest.split(separator: " ").map(String.init)[...])
        term.isRedacting = Self.take(Self.redaction, from: &words)
        let isFor = words.count > 1 && Self.take("for", from: &words)
        if let word = words.first, isFor || word.first?.isASCII == true && word.first?.isNumber == true {
            guard let seconds = DurationArgument(argument: word)?.wholeSeconds else {
                throw ParseError(text: "\(word) is no time; it has to be like 10m, 1h or 30d")
            }
            term.duration = .seconds(seconds)
            words.removeFirst()
        }
        term.isRedacting = Self.take(Self.redaction, from: &words) || term.isRedacting
        if term.duration == nil, let seconds = words.last.flatMap({ DurationArgument(argument: $0)?.wholeSeconds }) {
            term.duration = .seconds(seconds)
            words.removeLast()
            if words.last?.lowercased() == "for" { words.removeLast() }
        }
        guard !words.contains(where: Self.isRedaction) else {
            throw ParseError(text: "--redact stands right behind the name or the time, the reason behind it")
        }
        term.reason = words.isEmpty ? nil : words.joined(separator: " ")
        return term
    }

    private static func take(_ word: String, from words: inout ArraySlice<String>) -> Bool {
        guard words.first?.lowercased() == word else { return false }
        words.removeFirst()
        return true
    }
}
