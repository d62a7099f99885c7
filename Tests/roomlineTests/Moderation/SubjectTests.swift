import ArgumentParser
import RoomAdmin
import RoomJSON
import RoomModel
import Testing

@testable import roomline

@Suite struct SubjectTests {
    private func ban(_ arguments: String...) throws -> MemberBan { try MemberBan.parse(arguments) }

    @Test func `somebody is named in one of three ways`() throws {
        #expect(try self.ban("Kf3").sanction.subject.subject == .client("Kf3"))
        #expect(try self.ban("--user", "luke").sanction.subject.subject == .user("luke"))
        let range = try #require(AddressRange("10.0.0.0/8"))
        #expect(try self.ban("--address", "10.0.0.0/8").sanction.subject.subject == .address(range))
    }

    @Test(
        arguments: [
            [], ["Kf3", "--user", "luke"], ["--user", "luke", "--address", "10.0.0.1"], ["--address", "10.0.0.1/8"],
            ["--address", "home"], ["Kf3", "--for", "0s"], ["Kf3", "--for", "1500ms"], ["Kf3", "--for", "soon"],
        ]
    )
    func `what names nobody, or two, is not a command`(arguments: [String]) {
        #expect(throws: (any Error).self) { try MemberBan.parse(arguments) }
    }

    @Test func `a command for another broker, channel and room says so`() throws {
        let ban = try self.ban("--user", "x", "--room", "a b", "--channel", "shop", "--data", "/d")
        #expect(ban.sanction.place.option + ban.admin.option == " --room 'a b' --channel shop --data /d")
        let other = try self.ban("--user", "x")
        #expect(other.sanction.place.option + other.admin.option == "")
    }

    @Test func `a list may be of all`() throws {
        #expect(try MemberBans.parse([]).list.subject.subject == nil)
        #expect(throws: (any Error).self) { try MemberUnban.parse([]) }
    }

    @Test func `the API is told what was said, and nothing else`() throws {
        let whole = try self.ban("--user", "luke").sanction
        #expect(whole.call(.ban, .user("luke")).request.body?.text == #"{"kind":"ban","user":"luke"}"#)
        let part = try self.ban("Kf3", "--room", "lobby", "--for", "2h", "--reason", "spam").sanction
        let body = #"{"kind":"mute","room":"lobby","client_id":"Kf3","reason":"spam","seconds":7200}"#
        #expect(part.call(.mute, .client("Kf3")).request.body?.text == body)
    }

    @Test(arguments: [("10.9.9.9", "has the address 10.9.9.9"), ("10.0.0.0/8", "has an address of 10.0.0.0/8")])
    func `nobody has an address, and nobody is a user`(address: String, predicate: String) throws {
        #expect(NamedSubject.address(try #require(AddressRange(address))).predicate == predicate)
        #expect(NamedSubject.user("luke").predicate == "is the user luke")
    }

    @Test func `a user or a name is not a client id`() {
        #expect(!NamedSubject.client("Kf3Qz81LmXw0TbR").isMisnamed)
        for word in [
            "luke", "Kf3Qz81LmXw0Tb", "Kf3Qz81LmXw0TbRR", "Kf3Qz81 mXw0TbR", "Kf3Qz81-mXw0TbR", "Kf3Qz81ümXw0Tb",
        ] {
            #expect(NamedSubject.client(word).isMisnamed, "\(word)")
            #expect(NamedSubject.client(word).alternatives == [.user(word)])
        }
        #expect(!NamedSubject.user("luke").isMisnamed && NamedSubject.user("luke").alternatives == [])
    }

    @Test func `who is in no room may be connected all the same`() throws {
        #expect(try self.ban("--user", "x").sanction.place.membersPlace == "a room of the channel default")
        let ban = try self.ban("--user", "x", "--room", "lobby")
        #expect(ban.sanction.place.membersPlace == "the room lobby of default")
    }

    @Test func `an error of a duration recommends only what works`() {
        for text in ["90", "500ms", "1500ms", "soon", "0s"] {
            let error = #expect(throws: ValidationError.self) { try DurationArgument.readingSeconds(text) }
            let advice = error?.message ?? ""
            #expect(advice.contains("10s, 5m, 2h, 7d or 1w") && !advice.contains("500ms"))
        }
        for text in ["10s", "5m", "2h", "7d", "1w"] { #expect(DurationArgument(argument: text)?.wholeSeconds != nil) }
    }

    @Test func `a member is met by its user, its id or its address`() throws {
        let member: AdminMember = try Golden.document(
            #"{"id":"Kf3","user":"luke","connection":{"address":"10.1.2.3","wire_format":"json","#
                + #""connected_at":"2026-11-21T15:12:07.120Z","lag":0,"queued_bytes":0}}"#
        )
        let away: AdminMember = try Golden.document(#"{"id":"away","connection":null}"#)
        let range = try #require(AddressRange("10.0.0.0/8"))
        let other = try #require(AddressRange("10.1.2.4"))
        #expect(NamedSubject.user("luke").matches(member) && !NamedSubject.user("Luke").matches(member))
        #expect(NamedSubject.client("Kf3").matches(member) && NamedSubject.client("away").matches(away))
        #expect(NamedSubject.address(range).matches(member) && !NamedSubject.address(other).matches(member))
        #expect(!NamedSubject.address(range).matches(away) && !NamedSubject.user("luke").matches(away))
    }
}
