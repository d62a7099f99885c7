import RoomModel
import RoomTestKit
import Testing

/// Who gets in with which token, and what is said to whom.
struct AuthenticationTests {
    enum Shown: CaseIterable {
        case nothing
        case valid
        case wrongSecret
        case expired
        case otherClient
        case otherChannel
        case noToken

        var token: String? {
            switch self {
            case .nothing: nil
            case .valid: TestToken.make()
            case .wrongSecret: TestToken.make(secret: ChannelSecret(text: "another secret"))
            case .expired: TestToken.make(expires: 0)
            case .otherClient: TestToken.make(client: "somebody")
            case .otherChannel: TestToken.make(channel: "other")
            case .noToken: "abc"
            }
        }

        var refusal: Code? {
            switch self {
            case .nothing, .valid: nil
            case .expired: .tokenExpired
            case .wrongSecret, .otherClient, .otherChannel, .noToken: .tokenInvalid
            }
        }
    }

    private static func broker(_ authentication: Authentication) -> TestBroker {
        TestBroker(channels: [.make(authentication: authentication)])
    }

    @Test(arguments: Authentication.allCases, Shown.allCases)
    func `a token in the handshake lets in or is refused with no client_id`(mode: Authentication, shown: Shown) {
        let client = Self.broker(mode).connect()
        let reply = client.handshake(shown.token.map { #","token":"\#($0)""# } ?? "")
        let refusal = mode == .none && shown != .nothing ? Code.tokenInvalid : shown.refusal
        let isAwaited = mode == .required && shown == .nothing
        #expect(reply?.code == refusal?.rawValue)
        #expect(reply?.text("client_id")?.isEmpty == (refusal != nil))
        #expect(reply?.flag("require_auth") == (isAwaited ? true : nil))
        let expected = refusal != nil ? "handshake_required" : isAwaited ? "authentication_required" : nil
        #expect(client.subscribe("room")?.code == expected)
    }

    @Test(arguments: Authentication.allCases, Shown.allCases)
    func `authenticate after the handshake does the same`(mode: Authentication, shown: Shown) {
        guard let token = shown.token else { return }
        let client = Self.broker(mode).connect()
        #expect(client.authenticate(token)?.code == "handshake_required")
        client.handshake()
        let refusal = mode == .none ? Code.tokenInvalid : shown.refusal
        let reply = client.authenticate(token)
        #expect(reply?.code == refusal?.rawValue)
        if refusal == nil { #expect(reply?.keys == ["callback", "id", "timestamp", "sender"]) }
        let isOut = mode == .required && refusal != nil
        #expect(client.subscribe("room")?.code == (isOut ? "authentication_required" : nil))
    }

    @Test func `the texts are Scaledrone's`() {
        let client = Self.broker(.required).connect()
        client.handshake()
        #expect(client.subscribe("room")?.text("error") == "Unauthorized")
        #expect(client.authenticate("a.b")?.text("error") == "JWT does not have 3 parts")
    }

    @Test(
        arguments: [
            #""type":"subscribe","room":"r""#, #""type":"subscribe","rooms":["r","s"]"#,
            #""type":"unsubscribe","room":"r""#, #""type":"unsubscribe","rooms":["r"]"#,
            #""type":"publish","room":"r","message":1"#, #""type":"update","client_data":1"#,
            #""type":"members","room":"observable-r""#, #""type":"history","room":"r""#, #""type":"rooms""#,
        ]
    )
    func `nothing but authenticate and ping is answered before a token`(request: String) {
        let client = Self.broker(.required).connect()
        client.handshake()
        let reply = client.request(request)
        #expect(reply?.code == "authentication_required")
        #expect(reply?.text("error") == "Unauthorized")
        #expect(client.request(#""type":"ping""#)?.code == nil)
        #expect(client.authenticate(TestToken.make())?.code == nil)
        let code = client.request(request)?.code
        #expect(code == (request.contains("unsubscribe\",\"room\"") ? "not_subscribed" : nil))
    }

    @Test func `a refused publish without callback names its room and its message_id`() {
        let id = "0e2a1c5e-0000-4000-8000-000000000001"
        let client = Self.broker(.required).connect()
        client.handshake()
        client.say("here", "1", #","message_id":"\#(id)""#)
        client.authenticate(TestToken.make("{}"))
        client.say("there", "1", #","message_id":"\#(id)""#)
        let errors = client.receive()
        #expect(errors.map(\.code) == ["authentication_required", "permission_denied"])
        #expect(errors.map(\.room) == ["here", "there"])
        #expect(errors.map { $0.text("message_id") } == [id, id])
    }

    // MARK: Resuming

    enum Claim: CaseIterable {
        case absent
        case resumed
        case other
        case badToken
    }

    @Test(arguments: Claim.allCases, [1, 2])
    func `a token beside a resume is absent about the client or names the resumed one`(claim: Claim, shards: Int) {
        let broker = TestBroker(shards: shards, channels: [.make(authentication: .required)])
        let watcher = broker.connect()
        watcher.handshake(token: TestToken.make())
        watcher.subscribe("observable-room")
        let ann = broker.connect()
        let first = ann.handshake(token: TestToken.make(), #","resumable":true"#)
        let (id, resume) = (first?.text("client_id") ?? "", first?.text("resume_token") ?? "")
        ann.subscribe("observable-room")
        ann.drop()
        _ = watcher.receive()

        let token =
            switch claim {
            case .absent: TestToken.make()
            case .resumed: TestToken.make(client: id)
            case .other: TestToken.make(client: "other")
            case .badToken: TestToken.make(expires: 0)
            }
        let again = broker.connect(shard: shards - 1)
        let reply = again.handshake(token: token, #","resume":"\#(resume)","resumable":true"#)
        switch claim {
        case .absent, .resumed:
            #expect(reply?.flag("resumed") == true)
            #expect(reply?.text("client_id") == id)
            again.subscribe("observable-room")
            #expect(watcher.summaries() == [])
        case .other:
            #expect(reply?.code == "token_invalid")
            #expect(reply?.text("client_id") == "")
            #expect(watcher.summaries() == ["observable_member_leave"], "the session is used up")
        case .badToken:
            #expect(reply?.code == "token_expired")
            #expect(watcher.summaries() == [])
            let next = again.handshake(token: TestToken.make(), #","resume":"\#(resume)""#)
            #expect(next?.text("client_id") == id, "a token that is none does not use the session up")
        }
    }

    @Test func `who resumes without a token has to authenticate, and keeps its place meanwhile`() {
        let broker = Self.broker(.required)
        let ann = broker.connect()
        let first = ann.handshake(token: TestToken.make(data: "7"), #","resumable":true"#)
        ann.subscribe("observable-room")
        let watcher = broker.connect()
        watcher.handshake(token: TestToken.make())
        watcher.subscribe("observable-room")
        _ = watcher.receive()
        ann.drop()
        let again = broker.connect()
        let reply = again.handshake(#","resume":"\#(first?.text("resume_token") ?? "")""#)
        #expect(reply?.flag("require_auth") == true)
        #expect(reply?.flag("resumed") == true)
        #expect(again.subscribe("observable-room")?.code == "authentication_required")
        #expect(again.authenticate(TestToken.make(data: "7"))?.code == nil)
        #expect(again.subscribe("observable-room")?.code == nil)
        #expect(watcher.summaries() == [])
    }

    @Test func `too many refused tokens of one address are not looked at any more`() {
        let broker = Self.broker(.optional)
        let client = broker.connect(from: "192.0.2.1")
        for _ in 0..<10 { #expect(client.handshake(token: "a.b.c")?.code == "token_invalid") }
        let reply = client.handshake(token: TestToken.make())
        #expect(reply?.code == "rate_limited")
        #expect(reply?.text("client_id") == "")
        #expect(reply?.number("retry_after_ms") ?? 0 > 0)
        #expect(broker.connect(from: "192.0.2.2").handshake(token: TestToken.make())?.code == nil)
        #expect(client.handshake()?.code == nil, "without a token there is nothing to guess")
    }
}
