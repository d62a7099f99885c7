import RoomClient
import Testing

@testable import roomline

@Suite struct ModerationTargetTests {
    private static func known(
        _ id: String,
        _ names: String...,
        user: String? = nil,
        isPresent: Bool? = true,
        isOneself: Bool = false
    ) -> ModerationTarget.KnownMember {
        let member = ChatMember(person: Person(id: id, name: names.last), user: user)
        return ModerationTarget.KnownMember(
            member: member,
            names: names,
            isPresent: isPresent,
            isOneself: isOneself
        )
    }

    /// What the text may mean, a line each, and the text behind it.
    private static func readings(of text: String, among known: ModerationTarget.KnownMember...) throws -> [String] {
        try ModerationTarget.readings(of: text, among: known).map { "\($0.described) | \($0.rest)" }
    }

    private static let leia = Self.known("1", "Leia", user: "u1")
    private static let han = Self.known("3", "Han Solo")

    @Test(
        arguments: [
            ("Leia", "user u1, called Leia | "), ("leia for 1h spam", "user u1, called Leia | for 1h spam"),
            ("Leia (u1) spam", "user u1, called Leia | spam"), ("u1 spam", "user u1, called Leia | spam"),
            ("1 why", "user u1, called Leia | why"), ("id:1 why", "user u1, called Leia | why"),
            ("user:u1 why", "user u1, called Leia | why"),
            ("han solo  shot first", "id 3, called Han Solo | shot first"),
            ("Han Solo (3) why", "id 3, called Han Solo | why"), ("user:u7 why", "user u7, not seen here | why"),
            ("id:99", "id 99, not seen here | "),
        ]
    )
    func `somebody is named by a name, a user or an id`(text: String, reading: String) throws {
        #expect(try Self.readings(of: text, among: Self.leia, Self.han) == [reading])
    }

    @Test(arguments: [
        ("Lei", "nobody here is called Lei; did you mean Leia?"), ("Vader", "nobody here is called Vader"),
        ("Leia (u8) spam", "nobody called Leia is (u8) here"), ("Luke", "that is you"), ("user:luke", "that is you"),
    ])
    func `a text that means nobody is told from one that means oneself`(text: String, parseError: String) {
        let luke = Self.known("4", "Luke", user: "luke", isOneself: true)
        #expect(throws: ModerationTarget.ParseError(text: parseError)) {
            try Self.readings(of: text, among: Self.leia, luke)
        }
    }

    @Test func `a namesake of oneself is meant`() throws {
        let known = [Self.known("4", "Luke", isOneself: true), Self.known("5", "Luke")]
        #expect(try ModerationTarget.readings(of: "Luke", among: known).map(\.shown) == ["Luke (5)"])
    }

    @Test func `all who have or had the name may be meant`() throws {
        let (bob, han) = (Self.known("1", "Bob", "Zed", user: "bob"), Self.known("2", "Zed", "Han", user: "han"))
        let readings = try Self.readings(of: "Zed 1h", among: bob, han)
        #expect(readings == ["user bob, called Zed | 1h", "user han, called Han, who was Zed | 1h"])
        #expect(try ModerationTarget.readings(of: "zed", among: [han]).map(\.shown) == ["Han (han), who was Zed,"])
        #expect(try ModerationTarget.readings(of: "Han", among: [bob, han]).map(\.shown) == ["Han (han)"])
    }

    @Test func `who has left may be meant, with or without a user`() throws {
        let zoes = [Self.known("1", "Zoe"), Self.known("2", "Zoe", isPresent: false)]
        let readings = try ModerationTarget.readings(of: "Zoe 5m", among: zoes)
        #expect(readings.map(\.described) == ["id 1, called Zoe", "id 2, called Zoe, who has left"])
        #expect(readings.map(\.present) == [["1"], []])
        #expect(try ModerationTarget.readings(of: "Zoe (2)", among: zoes).map(\.subject) == [.client("2")])
    }

    @Test func `several connections of one user are one`() throws {
        let known = [Self.known("2", "Han", user: "han"), Self.known("1", "Han", user: "han", isPresent: false)]
        for text in ["Han", "user:han", "han"] {
            let targets = try ModerationTarget.readings(of: text, among: known)
            #expect(targets.map(\.subjects) == [[.user("han"), .client("2"), .client("1")]])
            #expect(targets.map(\.present) == [["2"]])
        }
        #expect(try ModerationTarget.readings(of: "id:9", among: known).map(\.subjects) == [[.client("9")]])
    }

    @Test(
        arguments: [
            ("Ann (u2)", ["user u1, called Ann (u2) | ", "user u2, called Ann | "]),
            ("Ann (u2) spam", ["user u1, called Ann (u2) | spam", "user u2, called Ann | spam"]),
            ("Ann (u2) (u1) spam", ["user u1, called Ann (u2) | spam"]), ("Ann", ["user u2, called Ann | "]),
            ("Bob 10m", ["id 3, called Bob 10m | ", "id 4, called Bob | 10m"]), ("Bob 1h", ["id 4, called Bob | 1h"]),
            ("Leia Organa", ["id 6, called Leia Organa | ", "id 5, called Leia | Organa"]),
            ("user:u2", ["user u2, called Ann | ", "id 7, called user:u2 | "]),
            ("user:u9", ["id 8, called user:u9 | ", "user u9, not seen here | "]),
            ("id:4", ["id 4, called Bob | ", "id 9, called id:4 | "]), ("id:9", ["id 9, called id:4 | "]),
        ] as [(String, [String])]
    )
    func `a name that looks like something else is one of several readings`(text: String, readings: [String]) throws {
        let found = try Self.readings(
            of: text,
            among: Self.known("11", "Ann (u2)", user: "u1"),
            Self.known("12", "Ann", user: "u2"),
            Self.known("3", "Bob 10m"),
            Self.known("4", "Bob"),
            Self.known("6", "Leia Organa"),
            Self.known("5", "Leia"),
            Self.known("7", "user:u2"),
            Self.known("8", "user:u9"),
            Self.known("9", "id:4")
        )
        #expect(found == readings)
    }

    @Test func `a user is meant on all connections, under whatever names`() throws {
        let known = [
            Self.known("1", "Zed", user: "u1"), Self.known("2", "Ann", user: "u1"), Self.known("3", "Bob", user: "u2"),
            Self.known("4", "Old", user: "u1", isPresent: false),
        ]
        for text in ["Ann", "zed", "user:u1", "id:2"] {
            #expect(try ModerationTarget.readings(of: text, among: known).map(\.present) == [["1", "2"]])
        }
        let old = try ModerationTarget.readings(of: "Old", among: known)
        #expect(old.map(\.described) == ["user u1, called Zed, who was Old"])
        #expect(old.map(\.present) == [["1", "2"]])
    }

    @Test func `a user with blanks may look like one with a time or an option`() throws {
        let known = [Self.known("1", "Sue", user: "sue 10m"), Self.known("2", "Tom", user: "tom --redact")]
        #expect(
            try ModerationTarget.readings(of: "user:sue 10m", among: known).map { "\($0.described) | \($0.rest)" } == [
                "user \"sue 10m\", called Sue | ", "user sue, not seen here | 10m",
            ]
        )
        #expect(try ModerationTarget.readings(of: "user:tom --redact", among: known).count == 2)
    }

    @Test func `users who look alike are told apart`() throws {
        let users = [
            "r1", "r1 ", "r\u{200b}1", "r1, called Rob", "jürgen", "auth0|5f7c", "r\u{3164}1", "r1\u{7f}", "\"r1\"",
            "rene\u{301}", "ren\u{e9}",
        ]
        let known = users.enumerated().map { Self.known("\($0)", "Rob", user: $1) }
        #expect(
            try ModerationTarget.readings(of: "Rob", among: known).map(\.described) == [
                "user r1, called Rob", "user \"r1 \", called Rob", "user \"r\\u{200B}1\", called Rob",
                "user \"r1, called Rob\", called Rob", "user jürgen, called Rob", "user auth0|5f7c, called Rob",
                "user \"r\\u{3164}1\", called Rob", "user \"r1\\u{7F}\", called Rob", "user \"\\\"r1\\\"\", called Rob",
                "user \"rene\\u{301}\", called Rob", "user ren\u{e9}, called Rob",
            ]
        )
    }

    @Test(arguments: [
        ("r\u{200b}1", "r1"), ("r1 \"x\"", "r1"), ("r1\t", "r1"), ("r\\1", "r1"), ("re\u{301}", "r\u{e9}"),
        ("r\u{e9}", "re\u{301}"),
    ])
    func `a user is taken as it is shown`(user: String, other: String) throws {
        let shown = TerminalText.user(user)
        let both = [Self.known("1", "Rob", user: user), Self.known("2", "Rob", user: other)]
        for text in ["Rob (\(shown)) spam", "\(shown) spam", "user:\(shown) spam"] {
            for known in [both, both.reversed()] {
                let readings = try ModerationTarget.readings(of: text, among: known)
                #expect(
                    readings.map(\.rest) == ["spam"]
                        && readings.map { Array($0.user?.utf8 ?? "".utf8) } == [Array(user.utf8)]
                )
                #expect(readings.first?.sessions.map(\.member.id) == ["1"])
            }
        }
        let unseen = try ModerationTarget.readings(of: "user:\(shown) spam", among: [both[1]])
        #expect(unseen.map { Array($0.user?.utf8 ?? "".utf8) } == [Array(user.utf8)])
    }

    @Test(arguments: [
        ("member:leia", "member:leia"), ("member:token ops", "member:\"token ops\""), ("token:ops", "token:ops"),
        ("member:m\u{202e}\u{200b}", "member:\"m\\u{202E}\\u{200B}\""), ("start", "start"),
    ])
    func `a member of the audit log is none of the other actors`(actor: String, shown: String) {
        #expect(TerminalText.actor(actor) == shown)
        #expect(TerminalText.readActor(shown) == actor)
    }

    @Test func `user and id are written in any case`() throws {
        let (ann, imitator) = (Self.known("1", "Ann", user: "u2"), Self.known("2", "USER:u2", user: "u3"))
        #expect(
            try Self.readings(of: "USER:u2 why", among: ann, imitator) == [
                "user u2, called Ann | why", "user u3, called USER:u2 | why",
            ]
        )
        #expect(try Self.readings(of: "Id:1", among: ann) == ["user u2, called Ann | "])
    }

    @Test func `the beginning of an id is none`() {
        let text = "id:ab is the beginning of an id only: write all of it, as /who shows it"
        #expect(throws: ModerationTarget.ParseError(text: text)) {
            try Self.readings(of: "id:ab why", among: Self.known("abcdef", "Ann"))
        }
    }

    @Test func `a name that is the user of somebody else may mean either`() throws {
        let (ann, eve) = (Self.known("3", "Ann", user: "eve"), Self.known("4", "Eve"))
        #expect(
            try Self.readings(of: "eve", among: ann, eve) == ["user eve, called Ann | ", "id 4, called Eve | "]
        )
        #expect(try Self.readings(of: "user:eve", among: ann, eve) == ["user eve, called Ann | "])
    }
}
