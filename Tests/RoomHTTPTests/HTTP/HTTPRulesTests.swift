import Testing

@testable import RoomHTTP
@testable import RoomModel

@Suite struct HostRuleTests {
    @Test(arguments: [
        "localhost", "LocalHost:1", "127.0.0.1", "127.1.2.3:65535", "[::1]", "[::1]:80", "chat.example:443",
    ])
    func `a name of this machine may be called`(host: String) {
        #expect(HostRule.loopback(and: ["Chat.Example"]).allows(host))
    }

    @Test(
        arguments: [
            "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]",
            "localhost:65536",
            "localhost:", "localhost:x", "a@localhost", "0177.0.0.1", "2130706433", "[::1", "::1]", "localhost/",
        ]
    )
    func `any other may not`(host: String) {
        #expect(!HostRule.loopback().allows(host))
        #expect(HostRule.any.allows(host))
    }

    @Test func `who sends none is no browser`() {
        #expect(HostRule.loopback().allows(nil))
    }
}

@Suite struct OriginRuleTests {
    private static let listed = "https://app.example"

    /// Who is let in of: a listed page, another, the broker's own.
    private func rules(_ authentication: Authentication, lists: Bool, credentials: Bool) throws -> [OriginRule] {
        let channel = ChannelSettings(
            id: try #require(ChannelID("talk")),
            authentication: authentication,
            allowedOrigins: lists ? [Self.listed] : []
        )
        return [Self.listed, "https://evil.example", "http://localhost:1"].map {
            OriginRule(origin: $0, host: "localhost:1", channel: channel, hasCredentials: credentials)
        }
    }

    private let all = [
        OriginRule.allowed(Self.listed), .allowed("https://evil.example"), .allowed("http://localhost:1"),
    ]

    @Test(arguments: [Authentication.none, .optional])
    func `an open channel is for its own pages`(authentication: Authentication) throws {
        #expect(try self.rules(authentication, lists: false, credentials: false) == [.refused, .refused, self.all[2]])
        #expect(
            try self.rules(authentication, lists: true, credentials: false) == [self.all[0], .refused, self.all[2]]
        )
    }

    @Test func `a token opens it to all pages, unless it lists some`() throws {
        #expect(try self.rules(.optional, lists: false, credentials: true) == self.all)
        #expect(try self.rules(.required, lists: false, credentials: false) == self.all)
        #expect(try self.rules(.optional, lists: true, credentials: true) == [self.all[0], .refused, self.all[2]])
        #expect(try self.rules(.required, lists: true, credentials: true) == [self.all[0], .refused, self.all[2]])
    }

    @Test(
        arguments: [
            ("http://chat.example", "chat.example", true),
            ("https://chat.example", "chat.example:443", true),
            ("https://chat.example:443", "CHAT.example", true),
            ("https://chat.example", "chat.example", true),
            ("http://[::1]:80", "[::1]", true),
            ("http://chat.example:81", "chat.example", false),
            ("http://chat.example.evil", "chat.example", false),
            ("null", "null", false),
            ("chat.example", "chat.example", false),
        ] as [(String, String, Bool)]
    )
    func `a page calls where it came from`(origin: String, host: String, isSame: Bool) throws {
        let channel = ChannelSettings(id: try #require(ChannelID("talk")))
        let rule = OriginRule(origin: origin, host: host, channel: channel, hasCredentials: false)
        #expect(rule == (isSame ? .allowed(origin) : .refused))
    }

    @Test func `who sends no origin is no page`() throws {
        let channel = ChannelSettings(id: try #require(ChannelID("talk")))
        #expect(OriginRule(origin: nil, host: nil, channel: channel, hasCredentials: false) == .none)
    }
}

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func `a date is as HTTP writes it`(second: Int64, text: String) {
        #expect(HTTPDate.format(second) == text)
    }
}
