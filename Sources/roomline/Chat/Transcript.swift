import Foundation
import RoomClient

/// Makes the lines of the chat out of what happens in the room. Pure.
struct Transcript: Sendable {
    /// A message, as far as the chat shows it.
    struct Entry: Equatable, Sendable {
        let time: Date
        let sender: Person
        let text: String
    }

    /// The rows under the first of a long line.
    private static let indent = 8
    private static let mostNames = 20

    private let timeZone: TimeZone
    /// Longer messages are cut, where somebody looks at them.
    private let longestText: Int?
    /// Of the last line that had a date.
    private var day: String
    /// Who is here, by id, in the order of the list and of their coming.
    private(set) var people: [Person] = []
    private var isListed = false

    init(timeZone: TimeZone, today: Date, longestText: Int?) {
        self.timeZone = timeZone
        self.longestText = longestText
        self.day = ClockTime(today, in: timeZone).day
    }

    mutating func message(_ entry: Entry) -> [StyledLine] {
        let time = ClockTime(entry.time, in: self.timeZone)
        let spans = [StyledLine.Span(text: "\(time.minutes) ", style: .dim), entry.sender.span]
        let line = StyledLine(spans: spans + self.spans(of: entry.text), indent: Self.indent)
        return self.dayLine(time.day) + [line]
    }

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

    /// Who is here, and nobody else.
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

    private func event(_ sign: String, _ person: Person, _ what: String, _ now: Date) -> StyledLine {
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
    func whoIsHere(myID: String?) -> StyledLine {
        if self.people.allSatisfy({ $0.id == myID }) { return self.note("nobody else is here") }
        var spans = [StyledLine.Span(text: "· here: ", style: .dim)]
        for (index, person) in self.people.prefix(Self.mostNames).enumerated() {
            if index > 0 { spans.append(StyledLine.Span(text: ", ", style: .dim)) }
            spans.append(person.span)
            if person.id == myID { spans.append(StyledLine.Span(text: " (you)", style: .dim)) }
        }
        let others = self.people.count - Self.mostNames
        if others > 0 { spans.append(StyledLine.Span(text: " and \(others) more", style: .dim)) }
        return StyledLine(spans: spans, indent: Self.indent)
    }
}
