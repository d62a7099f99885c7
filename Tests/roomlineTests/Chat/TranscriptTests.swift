import Foundation
import RoomModel
import Testing

@testable import roomline

@Suite struct TranscriptTests {
    private static let utc = TimeZone(secondsFromGMT: 0) ?? .current
    /// 2026-11-21 12:31:00 UTC
    private static let noon = Date(timeIntervalSince1970: 1_795_264_260)
    private static let luke = Person(id: "1", name: "Luke", color: "#2e7d32")
    private static let leia = Person(id: "2", name: "Leia")
    private static let nobody = Person(id: "3", name: nil)

    private var transcript = Transcript(timeZone: Self.utc, today: Self.noon, longestText: 100)

    private func entry(_ text: String, from person: Person = Self.luke, after seconds: Double = 0) -> Transcript.Entry {
        Transcript.Entry(time: Self.noon + seconds, sender: person, text: text)
    }

    @Test mutating func `a message has its time, its name in colour, and its text`() {
        let lines = self.transcript.message(self.entry("hello"))
        #expect(lines.map(\.text) == ["12:31 Luke: hello"])
        #expect(lines[0].spans[1].style == .name(NameColor(red: 0x2e, green: 0x7d, blue: 0x32)))
    }

    @Test mutating func `another day is announced`() {
        #expect(
            self.transcript.message(self.entry("yesterday", after: -86_400)).map(\.text) == [
                "── 2026-11-20 ──", "12:31 Luke: yesterday",
            ]
        )
        #expect(self.transcript.message(self.entry("too", after: -86_340)).map(\.text) == ["12:32 Luke: too"])
        #expect(self.transcript.message(self.entry("today")).first?.text == "── 2026-11-21 ──")
    }

    @Test mutating func `no text and no name can forge a line`() {
        let evil = Person(id: "9", name: "Leia: I give up\n12:00 Han")
        let lines = self.transcript.message(self.entry("a\n12:31 Leia: I give up\u{1b}[2J", from: evil))
        #expect(lines.map(\.text) == ["12:31 Leia I give up 12:00 Han: a 12:31 Leia: I give up[2J"])
    }

    @Test mutating func `a very long text is cut where somebody looks at it`() {
        let text = String(repeating: "x", count: 150)
        #expect(self.transcript.message(self.entry(text))[0].text.hasSuffix("xx … and 50 more characters"))
        var pipe = Transcript(timeZone: Self.utc, today: Self.noon, longestText: nil)
        #expect(pipe.message(self.entry(text))[0].text == "12:31 Luke: \(text)")
    }

    @Test mutating func `who is here is told at first, and again when it has changed meanwhile`() {
        let people = [Self.luke, Self.leia, Self.nobody]
        #expect(self.transcript.listed(people, myID: "1").map(\.text) == ["· here: Luke (you), Leia, somebody"])
        // After a restart of the broker all have other ids.
        let again = [Self.leia, Person(id: "7", name: "Luke"), Self.nobody]
        #expect(self.transcript.listed(again, myID: "7") == [])
        #expect(self.transcript.listed([Self.leia, Self.luke], myID: "1").map(\.text) == ["· here: Leia, Luke (you)"])
        #expect(self.transcript.listed([Self.luke], myID: "1").map(\.text) == ["· nobody else is here"])
    }

    @Test mutating func `a message that was taken away is marked in its place`() {
        let id = UUID()
        var entry = self.entry("buy now", from: Self.leia)
        (entry.id, entry.seq) = (id, 7)
        #expect(self.transcript.message(entry).map(\.message) == [id])
        let lines = self.transcript.redacted(id, by: Self.luke, reason: "spam\u{1b}[2J")
        #expect(lines.replacement?.text == "12:31 Leia: (removed by Luke: spam[2J)")
        #expect(lines.replacement?.message == id)
        #expect(lines.note.text == "· Luke removed the message of Leia at 12:31: spam[2J")
        let older = self.transcript.redacted(UUID(), by: Self.luke, reason: nil)
        #expect(older.replacement == nil && older.note.text == "· Luke removed an older message")
    }

    @Test mutating func `messages are counted back from the newest, without those that are gone`() {
        let ids = (0..<4).map { _ in UUID() }
        for (index, id) in ids.enumerated() {
            var entry = self.entry("\(index)")
            (entry.id, entry.seq, entry.isRedacted) = (id, UInt64(10 + index), index == 1)
            let lines = self.transcript.message(entry)
            if index == 1 { #expect(lines.map(\.text) == ["12:31 Luke: (removed by a moderator)"]) }
        }
        #expect(self.transcript.newest == 13)
        #expect((1...4).map { self.transcript.redactable(back: $0, from: 13)?.seq } == [13, 12, 10, nil])
        #expect(self.transcript.redactable(back: 1, from: 12)?.shown == "Luke: \"2\"")
        _ = self.transcript.redacted(ids[3], by: Self.luke, reason: nil)
        #expect(self.transcript.redactable(back: 1, from: 13)?.seq == 12)
        self.transcript.forgetMessages()
        #expect(self.transcript.newest == nil && self.transcript.redactable(back: 1, from: 13) == nil)
    }

    @Test mutating func `a notice has its author`() {
        #expect(self.transcript.notice("hear,\nhear", by: Self.luke, Self.noon).text == "12:31 * Luke: hear, hear")
    }

    @Test mutating func `coming, going and renaming are lines`() {
        _ = self.transcript.listed([Self.luke], myID: "1")
        #expect(self.transcript.joined(Self.leia, now: Self.noon).map(\.text) == ["12:31 → Leia joined"])
        #expect(self.transcript.people.map(\.shownName) == ["Luke", "Leia"])
        let general = Person(id: "2", name: "General Leia")
        #expect(self.transcript.updated(general, now: Self.noon).map(\.text) == ["12:31 · Leia is General Leia now"])
        #expect(self.transcript.updated(Person(id: "2", name: "General Leia", color: "red"), now: Self.noon) == [])
        #expect(self.transcript.left(general, now: Self.noon).map(\.text) == ["12:31 ← General Leia left"])
        #expect(self.transcript.people.map(\.shownName) == ["Luke"])
    }

    @Test mutating func `those who share a name are told apart where that is wanted`() {
        _ = self.transcript.listed([Self.luke, Self.leia, Person(id: "7", name: "luke")], myID: "2")
        let line = self.transcript.whoIsHere(myID: "2", users: ["7": "skywalker", "2": "leia"])
        #expect(line.text == "· here: Luke (1), Leia (you), luke (7, user skywalker)")
    }

    @Test mutating func `of a crowd the first are named`() {
        let crowd = (0..<30).map { Person(id: "\($0)", name: "P\($0)") }
        #expect(self.transcript.listed(crowd, myID: nil)[0].text.hasSuffix("P19 and 10 more"))
    }
}
