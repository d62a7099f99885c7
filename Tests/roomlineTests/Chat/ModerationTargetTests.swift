import RoomClient
import Testing

@testable import roomline

@Suite struct ModerationTargetTests {
    private static func known(
        _ id: String,
        _ name: String,
        user: String? = nil,
        isPresent: Bool? = true
    ) -> ModerationTarget.KnownMember {
        ModerationTarget.KnownMember(person: Person(id: id, name: name), user: user, isPresent: isPresent)
    }

    private static let known = [
        known("1", "Leia", user: "u1"), known("2", "Leia Organa"), known("3", "Han Solo"), known("4", "Luke"),
        known("5", "luke", user: "u5"),
    ]

    @Test(
        arguments: [
            ("Leia", "1", "u1", ""), ("leia for 1h spam", "1", "u1", "for 1h spam"), ("leia organa", "2", nil, ""),
            ("Leia Organa enough", "2", nil, "enough"), ("han solo  shot first", "3", nil, "shot first"),
            ("4 why", "4", nil, "why"), ("id:1 why", "1", "u1", "why"), ("id:99", "99", nil, ""),
            ("user:u7 why", nil, "u7", "why"),
        ] as [(String, String?, String?, String)]
    )
    func `somebody is named by a name, an id or a user`(text: String, id: String?, user: String?, rest: String) throws {
        let target = try ModerationTarget.find(text, among: Self.known)
        #expect(target.clientIDs == (id.map { [$0] } ?? []) && target.user == user && target.rest == rest)
        #expect(target.subject == (user.map { .user($0) } ?? .client(id ?? "")))
    }

    @Test func `what holds may have been set for the user or for each session`() throws {
        let known = [Self.known("1", "Leia", user: "u1"), Self.known("2", "Leia", user: "u1")]
        let subjects = try ModerationTarget.find("Leia", among: known).subjects
        #expect(subjects == [.user("u1"), .client("1"), .client("2")])
        #expect(try ModerationTarget.find("id:9", among: known).subjects == [.client("9")])
    }

    @Test func `somebody is named by the user that stands behind the name, with it or alone`() throws {
        let known = [Self.known("1", "Sam", user: "bob"), Self.known("22", "Sam"), Self.known("3", "Ann", user: "eve")]
        for (text, id, rest) in [
            ("bob spam", "1", "spam"), ("Sam (bob) spam", "1", "spam"), ("sam (22)", "22", ""), ("eve", "3", ""),
        ] {
            let target = try ModerationTarget.find(text, among: known)
            #expect(target.clientIDs == [id] && target.rest == rest)
        }
        #expect(throws: ModerationTarget.ParseError(text: "nobody called Ann is (u8) here")) {
            try ModerationTarget.find("Ann (u8) spam", among: known)
        }
        let other = known + [Self.known("4", "Eve")]
        let parseError = ModerationTarget.ParseError(
            text:
                "more than one is called eve; say which as NAME (USER), user:USER or id:ID: Eve (4), Ann (3, user eve)"
        )
        #expect(throws: parseError) { try ModerationTarget.find("eve", among: other) }
        #expect(try ModerationTarget.find("user:eve", among: other).user == "eve")
    }

    @Test func `a user in parentheses is meant, also one who is not here any more`() throws {
        let known = [Self.known("1", "Han", user: "luke"), Self.known("2", "Han", user: "han", isPresent: false)]
        let target = try ModerationTarget.find("Han (han) 1h", among: known)
        #expect(target.user == "han" && target.rest == "1h" && target.shown == "Han (han)")
    }

    @Test(arguments: [
        ("Lei", "nobody here is called Lei; did you mean Leia?"), ("Vader", "nobody here is called Vader"),
        (
            "Luke",
            "more than one is called Luke; say which as NAME (USER), user:USER or id:ID: Luke (4), luke (5, user u5)"
        ),
        ("", "nobody here is called "),
    ])
    func `who is nobody, or not one alone, is asked back`(text: String, parseError: String) {
        #expect(throws: ModerationTarget.ParseError(text: parseError)) {
            try ModerationTarget.find(text, among: Self.known)
        }
    }

    @Test func `those who are here count first, and then the one seen last`() throws {
        let gone = [Self.known("2", "Han", isPresent: false), Self.known("1", "Han", isPresent: false)]
        #expect(try ModerationTarget.find("Han", among: gone).clientIDs == ["2"])
        #expect(try ModerationTarget.find("Han", among: gone + [Self.known("3", "Han")]).clientIDs == ["3"])
        #expect(throws: ModerationTarget.ParseError(text: "Han is not here any more")) {
            try ModerationTarget.find("Han", among: gone, .here)
        }
        let longer = [Self.known("4", "Han Solo", isPresent: false), Self.known("3", "Han")]
        #expect(try ModerationTarget.find("Han Solo", among: longer).clientIDs == ["4"])
    }

    @Test func `another user of the name who has left may be meant, too`() throws {
        let spammer = Self.known("2", "Ann", user: "u8", isPresent: false)
        let known = [spammer, Self.known("1", "Ann", user: "u7")]
        let parseError = ModerationTarget.ParseError(
            text:
                "more than one is called Ann; say which as NAME (USER), user:USER or id:ID: Ann (1, user u7), Ann (2, user u8) who has left"
        )
        for among in [known, known + [Self.known("3", "Ann", user: "u8", isPresent: false)]] {
            #expect(throws: parseError) { try ModerationTarget.find("Ann 1h", among: among) }
        }
        #expect(try ModerationTarget.find("Ann", among: known, .here).user == "u7")
        #expect(try ModerationTarget.find("Ann (u8) 1h", among: known).user == "u8")
    }

    @Test func `an earlier session without a user is meant only where messages go, or nobody else is`() throws {
        let known = [Self.known("2", "Bob", isPresent: false), Self.known("1", "Bob", user: "u3", isPresent: false)]
        #expect(try ModerationTarget.find("Bob", among: known).user == "u3")
        #expect(throws: ModerationTarget.ParseError.self) { try ModerationTarget.find("Bob", among: known, .authors) }
        #expect(try ModerationTarget.find("Bob", among: [known[0]], .authors).clientIDs == ["2"])
    }

    @Test func `where nobody tells who is here, namesakes are asked back`() throws {
        let seen = [Self.known("2", "Han", isPresent: nil), Self.known("1", "Han", isPresent: nil)]
        #expect(throws: ModerationTarget.ParseError.self) { try ModerationTarget.find("Han", among: seen) }
        #expect(try ModerationTarget.find("Han", among: [seen[1]]).clientIDs == ["1"])
    }

    @Test func `several connections of one user are one`() throws {
        let known = [Self.known("2", "Han", user: "han"), Self.known("1", "Han", user: "han")]
        let target = try ModerationTarget.find("Han", among: known)
        #expect(target.clientIDs == ["2", "1"] && target.subject == .user("han"))
    }

    @Test(
        arguments: [
            ("Leia", nil, nil), ("Leia spam", nil, "spam"), ("Leia for 1h", .seconds(3_600), nil),
            ("Leia FOR 10m spam it is", .seconds(600), "spam it is"), ("Leia for", nil, "for"),
            ("Leia 10m shouting", .seconds(600), "shouting"), ("Leia 1h", .seconds(3_600), nil),
            ("Leia 10m for shouting", .seconds(600), "for shouting"), ("Leia h1", nil, "h1"),
            ("Leia shouting 10m", .seconds(600), "shouting"), ("Leia shouting for 1w", .seconds(604_800), "shouting"),
            ("Leia 1h shouting 10m", .seconds(3_600), "shouting 10m"), ("Leia shouting 10", nil, "shouting 10"),
        ] as [(String, Duration?, String?)]
    )
    func `a term and a reason stand behind the name`(text: String, duration: Duration?, reason: String?) throws {
        let term = try ModerationTarget.find(text, among: Self.known).term()
        #expect(term.duration == duration && term.reason == reason)
    }

    @Test(
        arguments: [
            ("Leia --redact", nil, nil, true), ("Leia --redact 1h spam", .seconds(3_600), "spam", true),
            ("Leia 1h --redact spam", .seconds(3_600), "spam", true),
            ("Leia --redact spam 1h", .seconds(3_600), "spam", true),
        ] as [(String, Duration?, String?, Bool)]
    )
    func `messages go with a ban where it says so`(
        text: String,
        duration: Duration?,
        reason: String?,
        goes: Bool
    ) throws {
        let term = try ModerationTarget.find(text, among: Self.known).term()
        #expect(term == ModerationTarget.Term(duration: duration, reason: reason, isRedacting: goes))
    }

    @Test func `messages never stay because of where it says so`() throws {
        let target = try ModerationTarget.find("Leia spam --redact", among: Self.known)
        let text = "--redact stands right behind the name or the time, the reason behind it"
        #expect(throws: ModerationTarget.ParseError(text: text)) { try target.term() }
    }

    @Test(arguments: ["10", "10min", "3 strikes", "0s"])
    func `a number that is no time is no reason either`(text: String) throws {
        let target = try ModerationTarget.find("Leia \(text)", among: Self.known)
        #expect(throws: ModerationTarget.ParseError.self) { try target.term() }
    }

    @Test(arguments: ["soon", "1", "10ms", "-1h"])
    func `a term has to be a time`(word: String) throws {
        let target = try ModerationTarget.find("Leia for \(word)", among: Self.known)
        #expect(throws: ModerationTarget.ParseError(text: "\(word) is no time; it has to be like 10m, 1h or 30d")) {
            try target.term()
        }
    }
}
