import Testing

@testable import roomline

@Suite struct RoomPeopleTests {
    private var people = RoomPeople()

    private static func member(_ id: String, _ name: String, user: String? = nil) -> ChatMember {
        ChatMember(person: Person(id: id, name: name), user: user)
    }

    private static let sams = [Self.member("1", "Sam", user: "u1"), Self.member("2", "Sam", user: "u2")]

    @Test mutating func `a message of a namesake has the mark that the list of the members has`() {
        self.people.listed(Self.sams, count: 2)
        let author = Self.member("1", "Sam")
        self.people.wrote(author, seq: 1)
        #expect(self.people.distinction(of: author) == " (u1)" && self.people.distinction(of: Self.sams[0]) == " (u1)")
    }

    @Test mutating func `two of one name are told apart also when one has left or has another name`() {
        self.people.listed(Self.sams, count: 2)
        self.people.left(Self.sams[1])
        #expect(Self.sams.map { self.people.distinction(of: $0) } == [" (u1)", " (u2)"])
        _ = self.people.updated(Self.member("1", "Ann", user: "u1"))
        #expect(Self.sams.map { self.people.distinction(of: $0) } == [" (u1)", " (u2)"])
        #expect(self.people.distinction(of: Self.member("1", "Ann")).isEmpty)
    }

    @Test mutating func `a name that another one had is told apart, too`() {
        let (han, bob) = (Self.member("1", "Zed", user: "han"), Self.member("2", "Bob", user: "bob"))
        self.people.listed([han, bob], count: 2)
        self.people.wrote(Self.member("1", "Zed"), seq: 1)
        _ = self.people.updated(Self.member("1", "Han", user: "han"))
        #expect(self.people.distinction(of: han).isEmpty)
        _ = self.people.updated(Self.member("2", "Zed", user: "bob"))
        #expect([han, Self.member("2", "Zed")].map { self.people.distinction(of: $0) } == [" (han)", " (bob)"])
    }

    @Test mutating func `a session that came after another one may be of the same person`() {
        let (first, second) = (Self.member("1", "Sam"), Self.member("2", "Sam"))
        self.people.listed([first], count: 1)
        self.people.wrote(first, seq: 1)
        self.people.left(first)
        self.people.joined(second)
        #expect([first, second].allSatisfy { self.people.distinction(of: $0).isEmpty })
        // an act cannot know it
        #expect(self.people.targets(for: nil, showsMembers: true).map(\.member.id) == ["2", "1"])
    }

    @Test mutating func `a name that looks as if it had a mark has one`() {
        let fake = Self.member("1", "Ann (u2)", user: "u1")
        self.people.listed([fake], count: 1)
        #expect(self.people.distinction(of: fake) == " (u1)")
        let service = ChatMember(person: Person(service: "bot", of: "rest"), isMember: false)
        self.people.wrote(service, seq: 1)
        #expect(self.people.distinction(of: service).isEmpty)
        #expect(self.people.targets(for: nil, showsMembers: true).map(\.member.id) == ["1"])
    }

    @Test mutating func `somebody has all names that it was seen under, and the newest one is its own`() {
        self.people.listed([Self.member("1", "Han", user: "han")], count: 1)
        self.people.wrote(Self.member("1", "Yoda"), seq: 5)
        self.people.wrote(Self.member("2", "Ben"), seq: 4)
        self.people.wrote(Self.member("2", "Bob"), seq: 2)
        let known = self.people.targets(for: "2", showsMembers: true)
        #expect(
            known.map(\.member.name) == ["Han", "Ben"] && known.map(\.names) == [["Han", "Yoda"], ["Ben", "Bob"]]
        )
        #expect(known.map(\.member.user) == ["han", nil] && known.map(\.seq) == [5, 4])
        #expect(known.map(\.isPresent) == [true, false] && known.map(\.isOneself) == [false, true])
        #expect(self.people.targets(for: nil, showsMembers: false).map(\.isPresent) == [true, nil])
    }

    @Test mutating func `a name that is too long to be shown is known whole`() throws {
        let name = "Maximilian of the long long house"
        self.people.listed(
            [Self.member("1", "\(name) A", user: "la"), Self.member("2", "\(name) B", user: "lb")],
            count: 2
        )
        let known = self.people.targets(for: nil, showsMembers: true)
        let readings = { try ModerationTarget.readings(of: $0, among: known).map { "\($0.shown) | \($0.rest)" } }
        #expect(try readings("\(name) A 1m") == ["\(name) A (la) | 1m"])
        #expect(try readings("Maximilian of the long … 1m").count == 2)
        #expect(throws: ModerationTarget.ParseError.self) { try readings("Maximilian of the long 1m") }
    }

    @Test mutating func `who has written is remembered longest`() {
        self.people.wrote(Self.member("author", "Yoda"), seq: 1)
        for number in 0..<12_000 {
            let guest = Self.member("\(number)", "Guest \(number)")
            self.people.joined(guest)
            self.people.left(guest)
        }
        let author = self.people.targets(for: nil, showsMembers: true).first { $0.member.id == "author" }
        #expect(author?.names == ["Yoda"])
    }
}
