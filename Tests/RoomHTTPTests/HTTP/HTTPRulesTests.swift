import RoomDelivery
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

    private static func rule(
        _ origin: String?,
        _ channel: ChannelSettings,
        host: String? = "localhost:1",
        credentials: Bool = false,
        isOnThisMachineOnly: Bool = true
    ) -> OriginRule {
        let page = WebPage(origin: origin, host: host, isOnThisMachineOnly: isOnThisMachineOnly)
        return OriginRule(page, origin: origin, channel: channel, hasCredentials: credentials)
    }

    private static func channel(
        _ authentication: Authentication = .none,
        lists origins: [String] = []
    ) throws -> ChannelSettings {
        ChannelSettings(
            id: try #require(ChannelID("talk")),
            authentication: authentication,
            allowedOrigins: origins
        )
    }

    /// Who is let in of: a listed page, another, the broker's own.
    private func rules(_ authentication: Authentication, lists: Bool, credentials: Bool) throws -> [OriginRule] {
        let channel = try Self.channel(authentication, lists: lists ? [Self.listed] : [])
        return [Self.listed, "https://evil.example", "http://localhost:1"].map {
            Self.rule($0, channel, credentials: credentials)
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
            "http://localhost:3000", "http://127.0.0.1:5173", "https://[::1]:8443", "http://127.1.2.3",
            "http://LOCALHOST",
        ]
    )
    func `an open channel of this machine is for a developer's page on any port`(origin: String) throws {
        #expect(Self.rule(origin, try Self.channel()) == .allowed(origin))
        #expect(Self.rule(origin, try Self.channel(lists: [Self.listed])) == .refused)
    }

    @Test(
        arguments: [
            "http://localhost.evil.example", "http://evil.example:10001", "null", "file://",
            "http://127.0.0.1.evil.example",
            "http://128.0.0.1", "http://websocket.org", "localhost",
        ]
    )
    func `but for no other page, where nobody else can reach the broker`(origin: String) throws {
        let channel = try Self.channel()
        #expect(Self.rule(origin, channel) == .refused)
        #expect(Self.rule(origin, channel, isOnThisMachineOnly: false) == .allowed(origin))
        #expect(Self.rule(origin, try Self.channel(lists: ["any"])) == .allowed(origin))
    }

    @Test(
        arguments: [
            ("http://chat.example", "chat.example", true),
            ("https://chat.example", "chat.example:443", true),
            ("https://chat.example:443", "CHAT.example", true),
            ("https://chat.example", "chat.example", true),
            ("wss://chat.example", "chat.example:443", true),
            ("ws://chat.example:10001", "chat.example:10001", true),
            ("http://[::1]:80", "[::1]", true),
            ("http://chat.example:81", "chat.example", false),
            ("http://chat.example.evil", "chat.example", false),
            ("null", "null", false),
            ("chat.example", "chat.example", false),
        ] as [(String, String, Bool)]
    )
    func `a page calls where it came from`(origin: String, host: String, isSame: Bool) throws {
        let rule = Self.rule(origin, try Self.channel(), host: host)
        #expect(rule == (isSame ? .allowed(origin) : .refused))
    }

    @Test(
        arguments: [
            ("http://localhost:1", false, true), ("https://localhost:1", false, true),
            ("https://localhost:1", true, true),
            ("http://localhost:1", true, false), ("ws://localhost:1", false, false),
            ("ftp://localhost:1", false, false),
            ("chrome-extension://localhost:1", false, false), ("http://localhost:2", false, false),
        ] as [(String, Bool, Bool)]
    )
    func `the console's page has come by HTTP, and over TLS where there is TLS`(
        origin: String,
        isTLS: Bool,
        isOwn: Bool
    ) {
        let page = WebPage(origin: origin, host: "localhost:1", isOnThisMachineOnly: true)
        #expect(page?.isOwn(withTLS: isTLS) == isOwn)
    }

    @Test func `who sends no origin is no page`() throws {
        #expect(Self.rule(nil, try Self.channel()) == .none)
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
