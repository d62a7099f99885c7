import RoomClient
import RoomModel

/// A person whom a moderator may mean by the beginning of a text, and the text behind that. Pure.
struct ModerationTarget: Equatable, Sendable {
    /// The user on whatever connection; one session where nobody knows a user.
    let subject: ModerationSubject
    /// The sessions that the text means, the present ones in front; none of one whom this chat has not seen.
    private(set) var sessions: [KnownMember] = []
    /// The name that stands in the text; `nil` where an id or a user does.
    var name: String?
    /// The text behind it.
    let rest: String

    /// A session that this chat has seen.
    struct KnownMember: Equatable, Sendable {
        var member: ChatMember
        /// All names that it has been seen under.
        let names: [String]
        /// Whether it is here now; `nil` where the room does not tell.
        let isPresent: Bool?
        /// Whether it is the moderator.
        var isOneself = false
        /// The `seq` of the newest message of its own that this chat has seen.
        var seq: UInt64?
    }

    /// The text that was entered names nobody, or says something that the command does not take.
    struct ParseError: Error, Equatable {
        let text: String
    }

    /// All that the text may mean: a name may have blanks, a mark or a time at its end, may have been that of several people, and
    /// may look like the user or the id of somebody.
    ///
    /// - Parameter known: those who are here in front.
    /// - Returns: at least one. A command that can mean one only is done.
    static func readings(of text: String, among known: [KnownMember]) throws(ParseError) -> [ModerationTarget] {
        try Self.refuseCutName(in: text, among: known)
        var found: [ModerationTarget] = []
        for member in known {
            for reading in member.readings(of: text) {
                let isSame = { (other: Self) in other.subject == reading.subject && other.rest == reading.rest }
                if let index = found.firstIndex(where: isSame) {
                    if found[index].sessions.last != member { found[index].sessions.append(member) }
                    if reading.name == nil { found[index].name = nil }
                } else {
                    found.append(reading)
                }
            }
        }
        if let unseen = try Self.unseen(text, known),
            !found.contains(where: { $0.name == nil && $0.rest == unseen.rest })
        {
            found.append(unseen)
        }
        found = found.map { $0.withAllSessions(among: known) }
        let others = found.filter { target in !target.sessions.contains(where: \.isOneself) }
        guard others.isEmpty else { return others }
        throw ParseError(text: found.isEmpty ? Self.nobody(text, known) : "that is you")
    }

    /// The beginning of a name that is too long to be shown whole: its first word may be somebody else's name.
    private static func refuseCutName(in text: String, among known: [KnownMember]) throws(ParseError) {
        let names = known.flatMap(\.names)
        let isWhole = { (name: String) in name.columns > TerminalText.longestName && text.rest(afterName: name) != nil }
        guard !names.contains(where: isWhole) else { return }
        let typed = text.prefix { $0 != "…" }
        for name in names where name.last == "…" && text.rest(afterName: name) == nil {
            let shown = TerminalText.key(name.dropLast())
            let isCut = typed.endIndex < text.endIndex && typed.count > 2 && shown.hasPrefix(TerminalText.key(typed))
            guard isCut || TerminalText.key(text).hasPrefix(shown) else { continue }
            throw ParseError(
                text: "\(name) is a longer name: write all of it, or as it stands here, or user:USER or id:ID"
            )
        }
    }

    /// `user:U` or `id:ID` of anybody.
    private static func unseen(_ text: String, _ known: [KnownMember]) throws(ParseError) -> ModerationTarget? {
        guard let parts = text.wholeMatch(of: /(?i)(user|id):("(?:[^"\\]|\\.)*"|\S+)(?: (.*))?/)?.output else {
            return nil
        }
        let (name, rest) = (TerminalText.readUser(parts.2), String(parts.3 ?? ""))
        guard parts.1.lowercased() == "id" else { return ModerationTarget(subject: .user(name), rest: rest) }
        let ids = known.map(\.member.id)
        guard ids.contains(where: { $0.hasPrefix(name) }), !ids.contains(name) else {
            return ModerationTarget(subject: .client(name), rest: rest)
        }
        throw ParseError(text: "id:\(name) is the beginning of an id only: write all of it, as /who shows it")
    }

    /// A user is meant on all connections, also on those where it has another name.
    private func withAllSessions(among known: [KnownMember]) -> ModerationTarget {
        guard let user = self.user else { return self }
        var target = self
        target.sessions = known.filter { TerminalText.isSameUser($0.member.user, user) }
        return target
    }

    private static func nobody(_ text: String, _ known: [KnownMember]) -> String {
        let names = known.flatMap(\.names)
        for name in names {
            guard let rest = text.rest(afterName: name), let end = rest.firstIndex(of: ")") else { continue }
            return "nobody called \(name) is \(rest[...end]) here"
        }
        let word = text.split(separator: " ").first.map(String.init) ?? ""
        let guess = NearestName.of(word, among: names).map { "; did you mean \($0)?" } ?? ""
        return "nobody here is called \(word.shortened(toColumns: 30))\(guess)"
    }

    var user: String? { if case .user(let user) = self.subject { user } else { nil } }

    private var id: String { if case .client(let id) = self.subject { id } else { "" } }

    /// `Ann (u7)`, `Han (HGgTq), who was Zed,`: which one of the name it is.
    var shown: String {
        guard let newest = self.sessions.first?.member else {
            return self.user.map { "the user \(TerminalText.user($0))" } ?? self.id
        }
        let former = self.formerName.map { ", who was \($0)," } ?? ""
        return "\(newest.wholeName) (\(self.user.map { TerminalText.user($0) } ?? newest.mark))\(former)"
    }

    /// `user u7, called Ann, who has left`: begins with what no name can imitate.
    var described: String {
        let identity = self.user.map { "user \(TerminalText.user($0))" } ?? "id \(self.id)"
        let name = self.sessions.first.map { ", called \($0.member.wholeName)" } ?? ", not seen here"
        let former = self.formerName.map { ", who was \($0)" } ?? ""
        return identity + name + former + (self.hasLeft ? ", who has left" : "")
    }

    /// The name in the text, where nobody who is meant has it any more.
    private var formerName: String? {
        let newest = self.hasLeft ? self.sessions : self.sessions.filter { $0.isPresent != false }
        return self.name.flatMap { name in
            let key = TerminalText.key(name)
            return newest.contains { [$0.member.nameKey, TerminalText.key($0.member.wholeName)].contains(key) }
                ? nil : name
        }
    }

    private var hasLeft: Bool { !self.sessions.isEmpty && self.sessions.allSatisfy { $0.isPresent == false } }

    /// The sessions that may be here.
    var present: [String] {
        guard !self.sessions.isEmpty else { return self.user == nil ? [self.id] : [] }
        return self.sessions.filter { $0.isPresent != false }.map(\.member.id)
    }

    /// All that a ban or a mute may have been set for, the one in front that it is set for now.
    var subjects: [ModerationSubject] {
        [self.subject] + self.sessions.map { .client($0.member.id) }.filter { $0 != self.subject }
    }
}

extension ModerationTarget.KnownMember {
    private var subject: ModerationSubject { self.member.user.map { .user($0) } ?? .client(self.member.id) }

    fileprivate func readings(of text: String) -> [ModerationTarget] {
        // of several blanks in a name one is shown
        let words = text.split(separator: " ").joined(separator: " ")
        let named = self.names.compactMap { name in
            (text.rest(afterName: name) ?? words.rest(afterName: name)).flatMap { self.unmarked($0) }
                .map { self.target(name, $0) }
        }
        let users = self.member.user.map { [$0, TerminalText.user($0)] } ?? []
        let identities = [self.member.id, "id:\(self.member.id)"] + users.flatMap { [$0, "user:\($0)"] }
        let kind = text.prefixMatch(of: /(?i)(?:user|id):/)?.output ?? ""
        let identity = kind.lowercased() + text.dropFirst(kind.count)
        return named + identities.compactMap { identity.rest(after: $0).map { self.target(nil, $0) } }
    }

    private func target(_ name: String?, _ rest: String) -> ModerationTarget {
        ModerationTarget(subject: self.subject, sessions: [self], name: name, rest: rest)
    }

    /// The text behind a name and, where one stands there, behind the mark in parentheses; `nil` behind the mark of somebody else.
    private func unmarked(_ text: String) -> String? {
        guard text.first == "(" else { return text }
        let inside = text.dropFirst().prefix { $0 != ")" }
        let isID = self.member.user == nil && !inside.isEmpty && self.member.id.hasPrefix(inside)
        let user = self.member.user
        let marks = [user ?? (isID ? String(inside) : nil), user.map(TerminalText.user), self.member.mark].compactMap(
            \.self
        )
        return marks.lazy.compactMap { text.rest(after: "(\($0))") }.first { $0.first != "(" }
    }

    /// Whether it may be meant, once its user is known.
    func mayBeMeant(by text: String) -> Bool {
        self.names.contains { text.rest(afterName: $0) != nil } || !self.readings(of: text).isEmpty
    }
}

extension String {
    fileprivate func rest(afterName name: String) -> String? {
        let visible = name.drop { TerminalText.key(String($0)).isEmpty }
        return self.rest(after: String(visible)) {
            $0 == $1 || TerminalText.key(String($0)) == TerminalText.key(String($1))
        }
    }

    /// The words behind those that it begins with; `nil` where it begins with others.
    fileprivate func rest(
        after beginning: String,
        _ isSame: (Character, Character) -> Bool = { $0.utf8.elementsEqual($1.utf8) }
    ) -> String? {
        guard self.count >= beginning.count, zip(self, beginning).allSatisfy(isSame) else { return nil }
        let rest = self.dropFirst(beginning.count)
        return rest.first ?? " " == " " ? String(rest.drop { $0 == " " }) : nil
    }
}
