import RoomModel
import Testing

@testable import RoomClient
@testable import roomline

@Suite struct PersonTests {
    private func person(_ clientData: String?) throws -> Person {
        Person(Member(id: "1", clientData: try clientData.map { try JSON($0) }, authData: nil))
    }

    @Test(
        arguments: [
            (##"{"name":"Luke","color":"#2e7d32"}"##, "Luke", NameColor(red: 0x2e, green: 0x7d, blue: 0x32)),
            (#"{"name":"Luke"}"#, "Luke", nil),
            (#"{"name":"Luke","color":5}"#, "Luke", nil),
            (#"{"name":"Luke","color":"infrared"}"#, "Luke", nil),
            (#"{"name":5,"color":"red"}"#, nil, NameColor(red: 255, green: 0, blue: 0)),
            (#"{"name":"\u001b[2J\u202e"}"#, "[2J", nil),
            (#"{"name":"  "}"#, nil, nil),
            (#""Luke""#, nil, nil), ("null", nil, nil), (nil, nil, nil),
        ] as [(String?, String?, NameColor?)]
    )
    func `member data can be anything`(clientData: String?, name: String?, color: NameColor?) throws {
        let person = try self.person(clientData)
        #expect(person.name == name && person.chosenColor == color)
        #expect(person.shownName == name ?? "somebody")
    }

    @Test func `who is not a member is known by kind`() {
        #expect(Person(.service(id: "cron", kind: "rest")).shownName == "cron (REST)")
        #expect(Person(.service(id: "rest", kind: "rest")).shownName == "REST")
        #expect(Person(.service(id: "uid:0", kind: "admin")).shownName == "an administrator")
    }
}
