import Testing

@testable import roomline

@Suite struct RoomPeopleTests {
    @Test func `a message of a namesake has the mark that the list of the members has`() {
        var people = RoomPeople()
        let members = [("1", "u1"), ("2", "u2")].map { ChatMember(person: Person(id: $0, name: "Sam"), user: $1) }
        people.listed(members, count: 2)
        let author = ChatMember(person: Person(id: "1", name: "Sam"))
        people.met(author, seq: 1)
        #expect(people.distinction(of: author) == " (u1)" && people.distinction(of: members[0]) == " (u1)")
        people.left(members[1])
        #expect(people.distinction(of: author).isEmpty)
    }
}
