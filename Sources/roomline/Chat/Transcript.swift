import Foundation
import RoomClient

/// Makes the lines of the chat out of what happens in the room. Pure.
struct Transcript: Sendable {
    /// A message, as far as the chat shows it.
    struct Entry: Equatable, Sendable {
        var id: UUID?
        var seq: UInt64?
        let time: Date
        let sender: Person
        let text: String
        var isRedacted = false
    }

    /// The look of a redaction: in the place of its message, or as a line of its own.
    struct RedactionLines: Equatable, Sendable {
        /// `nil` where the message is none of those that were shown last.
        let replacement: StyledLine?
        let note: StyledLine
    }

    /// The rows under the first of a long line.
    private static let indent = 8
    private static let mostNames = 20
    private static let mostMessages = 1_000

    private let timeZone: TimeZone
    /// Longer messages are cut, where somebody looks at them.
    private let longestText: Int?
    /// The day of the last line that had a date.
    private var day: String
    /// The people here, by id, in the order of the list and of their coming.
    private(set) var people: [Person] = []
    private var isListed = false
    /// The messages that were shown last.
    private var messages: [Entry] = []

    init(timeZone: TimeZone, today: Date, longestText: Int?) {
        self.timeZone = timeZone
        self.longestText = longestText
        self.day = ClockTime(today, in: timeZone).day
    }

    mutating func message(_ entry: Entry) -> [StyledLine] {
        if entry.seq != nil { self.remember(entry) }
        let text = entry.isRedacted ? [Self.removed("removed by a moderator")] : self.spans(of: entry.text)
        return self.dayLine(ClockTime(entry.time, in: self.timeZone).day) + [self.line(entry, text)]
    }

    private func line(_ entry: Entry, _ text: [StyledLine.Span]) -> StyledLine {
        let time = ClockTime(entry.time, in: self.timeZone).minutes
        let spans = [StyledLine.Span(text: "\(time) ", style: .dim), entry.sender.span]
        return StyledLine(spans: spans + text, indent: Self.indent, message: entry.id)
    }

    private static func removed(_ what: String) -> StyledLine.Span {
        StyledLine.Span(text: ": (\(what))", style: .dim)
    }

    private mutating func remember(_ entry: Entry) {
        if self.messages.count >= 2 * Self.mostMessages { self.messages.removeFirst(Self.mostMessages) }
        self.messages.append(entry)
    }

    // MARK: Moderation

    /// The place of the newest message that is shown.
    var newest: UInt64? { self.messages.lazy.compactMap(\.seq).max() }

    /// A message that can be taken away, counted back from this one, which is 1.
    func redactable(back: Int, from newest: UInt64) -> ModerationRequest.Redacted? {
        let counted = self.messages.filter { !$0.isRedacted && $0.seq.map { $0 <= newest } ?? false }
            .sorted { $0.seq ?? 0 < $1.seq ?? 0 }
        guard back <= counted.count, let seq = counted[counted.count - back].seq else { return nil }
        let entry = counted[counted.count - back]
        return ModerationRequest.Redacted(seq: seq, sender: entry.sender.shownName, text: TerminalText.line(entry.text))
    }

    mutating func redacted(_ id: UUID, by moderator: Person, reason: String?) -> RedactionLines {
        let why = reason.map { ": \(TerminalText.line($0))" } ?? ""
        let name = moderator.shownName
        guard let index = self.messages.firstIndex(where: { $0.id == id }) else {
            return RedactionLines(replacement: nil, note: self.note("\(name) removed an older message\(why)"))
        }
        self.messages[index].isRedacted = true
        let entry = self.messages[index]
        let time = ClockTime(entry.time, in: self.timeZone).minutes
        return RedactionLines(
            replacement: self.line(entry, [Self.removed("removed by \(name)\(why)")]),
            note: self.note("\(name) removed the message of \(entry.sender.shownName) at \(time)\(why)")
        )
    }

    mutating func forgetMessages() {
        self.messages = []
    }

    /// `12:31 * Luke: the talk begins`
    func notice(_ text: String, by moderator: Person, _ now: Date) -> StyledLine {
        let time = ClockTime(now, in: self.timeZone).minutes
        let spans = [
            StyledLine.Span(text: "\(time) * ", style: .dim), moderator.span,
            StyledLine.Span(text: ": \(TerminalText.line(text))", style: .normal),
        ]
        return StyledLine(spans: spans, indent: Self.indent)
    }

    // MARK: People

    private func spans(of text: String) -> [StyledLine.Span] {
        let line = TerminalText.line(text)
        guard let longest = self.longestText, line.count > longest else {
            return [StyledLine.Span(text: ": \(line)", style: .normal)]
        }
        return [
            StyledLine.Span(text: ": \(line.prefix(longest))", style: .normal),
            StyledLine.Span(text: " … and \(line.count - longest) more characters", style: .dim),
        ]
    }

    private mutating func dayLine(_ day: String) -> [StyledLine] {
        guard day != self.day else { return [] }
        self.day = day
        return [.dim("── \(day) ──")]
    }

    /// Takes the people that are here, and nobody else.
    mutating func listed(_ people: [Person], myID: String?) -> [StyledLine] {
        let names = { (people: [Person]) in people.map(\.shownName).sorted() }
        // After coming back, only what has changed meanwhile is news.
        let isNews = !self.isListed || names(people) != names(self.people)
        self.people = people
        self.isListed = true
        return isNews ? [self.whoIsHere(myID: myID)] : []
    }

    mutating func joined(_ person: Person, now: Date) -> [StyledLine] {
        self.people.removeAll { $0.id == person.id }
        self.people.append(person)
        return [self.event("→", person, " joined", now)]
    }

    mutating func left(_ person: Person, now: Date) -> [StyledLine] {
        self.people.removeAll { $0.id == person.id }
        return [self.event("←", person, " left", now)]
    }

    mutating func updated(_ person: Person, now: Date) -> [StyledLine] {
        guard let index = self.people.firstIndex(where: { $0.id == person.id }) else { return [] }
        let earlier = self.people[index]
        self.people[index] = person
        guard earlier.shownName != person.shownName else { return [] }
        return [self.event("·", earlier, " is \(person.shownName) now", now)]
    }

    func event(_ sign: String, _ person: Person, _ what: String, _ now: Date) -> StyledLine {
        let time = ClockTime(now, in: self.timeZone).minutes
        let spans = [
            StyledLine.Span(text: "\(time) \(sign) ", style: .dim), person.span,
            StyledLine.Span(text: what, style: .dim),
        ]
        return StyledLine(spans: spans, indent: Self.indent)
    }

    /// A remark of the program's.
    func note(_ text: String) -> StyledLine {
        .dim("· \(text)", indent: Self.indent)
    }

    /// `here: Leia, Luke (you)`
    ///
    /// - Parameter users: by id, for telling those apart who share a name; `nil`: they need not be.
    func whoIsHere(myID: String?, users: [String: String]? = nil) -> StyledLine {
        let shown = Dictionary(grouping: self.people) { $0.shownName.lowercased() }
        if self.people.allSatisfy({ $0.id == myID }) { return self.note("nobody else is here") }
        var spans = [StyledLine.Span(text: "· here: ", style: .dim)]
        for (index, person) in self.people.prefix(Self.mostNames).enumerated() {
            if index > 0 { spans.append(StyledLine.Span(text: ", ", style: .dim)) }
            spans.append(person.span)
            if let users, shown[person.shownName.lowercased(), default: []].count > 1 {
                spans.append(StyledLine.Span(text: person.distinction(user: users[person.id]), style: .dim))
            }
            if person.id == myID { spans.append(StyledLine.Span(text: " (you)", style: .dim)) }
        }
        let others = self.people.count - Self.mostNames
        if others > 0 { spans.append(StyledLine.Span(text: " and \(others) more", style: .dim)) }
        return StyledLine(spans: spans, indent: Self.indent)
    }
}
