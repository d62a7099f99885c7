import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Every state of a session's authorization with every kind of request.
struct SessionTokenTests {
    enum Stage: CaseIterable {
        case unrestricted
        case awaited
        /// May subscribe to `read`, publish into `write`, and read the history of `deep`.
        case granted
        case expired
    }

    private static let permissions = #"{"^read$":{"subscribe":true},"^write$":{"publish":true},"^deep$":{"history":2}}"#
    private static let now = ManualClock.start / 1_000

    private static func channel(
        _ authentication: Authentication = .required,
        _ expiry: TokenExpiry = .live
    ) -> RoomChannel {
        RoomChannel(
            settings: ChannelSettings.make(authentication: authentication).with { $0.tokenExpiry = expiry },
            secrets: [TestBroker.secret]
        )
    }

    private static func session(_ stage: Stage, _ channel: RoomChannel? = nil) -> Session {
        let token = TestToken.make(Self.permissions)
        var session = Session.make(
            channel: channel ?? Self.channel(stage == .unrestricted ? .optional : .required),
            token: stage == .granted || stage == .expired ? token : nil,
            roomLimit: 9,
            now: Self.now
        )
        if stage == .expired { session.tokenExpired() }
        return session
    }

    private static func subscribe(_ session: inout Session, _ room: String) -> Code? {
        let request = SubscribeRequest(rooms: .one(RoomName(room)))
        if case .refuse(let error) = session.subscribeReceived(request, callback: 1) { return error.code }
        return nil
    }

    private static func publish(_ session: inout Session, _ room: String) -> Code? {
        let request = PublishRequest(room: RoomName(room), message: ByteBuffer(string: "1"))
        let origin = Origin(connection: .make(), callback: 1)
        if case .refuse(let error) = session.publishReceived(request, origin: origin) { return error.code }
        return nil
    }

    private static func query(_ session: inout Session, _ query: Session.Query) -> Code? {
        if case .refused(let error) = session.queryReceived(query, callback: 1) { return error.code }
        return nil
    }

    private static func outcomes(_ stage: Stage) -> [Code?] {
        let requests: [(inout Session) -> Code?] = [
            { Self.subscribe(&$0, "read") }, { Self.subscribe(&$0, "write") }, { Self.publish(&$0, "read") },
            { Self.publish(&$0, "write") }, { Self.query(&$0, .history(RoomName("read"))) },
            { Self.query(&$0, .history(RoomName("deep"))) },
            { Self.query(&$0, .members(RoomName("observable-x"))) }, { Self.query(&$0, .members(RoomName("read"))) },
            { $0.refusal(1)?.code },
        ]
        return requests.map { request in
            var session = Self.session(stage)
            return request(&session)
        }
    }

    @Test(arguments: Stage.allCases)
    func `each request has its outcome in each state`(stage: Stage) {
        let expected: [Code?] =
            switch stage {
            case .unrestricted: [nil, nil, nil, nil, nil, nil, nil, nil, nil]
            case .awaited: Array(repeating: .authenticationRequired, count: 9)
            case .granted:
                [nil, .permissionDenied, .permissionDenied, nil, .permissionDenied, nil, .permissionDenied, nil, nil]
            case .expired: Array(repeating: .tokenExpired, count: 9)
            }
        #expect(Self.outcomes(stage) == expected)
    }

    @Test(arguments: Stage.allCases, Authentication.allCases)
    func `a change of the channel leaves each state where it belongs`(stage: Stage, authentication: Authentication) {
        var session = Self.session(stage)
        let error = session.channelChanged(Self.channel(authentication))
        #expect(error?.code == (stage == .unrestricted && authentication == .required ? .authenticationRequired : nil))
        let isRestricted = Self.publish(&session, "read")
        let expected: Code? =
            switch (stage, authentication) {
            case (_, .none), (.unrestricted, .optional), (.awaited, .optional): nil
            case (.unrestricted, .required), (.awaited, .required): .authenticationRequired
            case (.granted, _): .permissionDenied
            case (.expired, _): .tokenExpired
            }
        #expect(isRestricted == expected)
    }

    @Test(arguments: Stage.allCases, TokenExpiry.allCases)
    func `only a token that has to be renewed has an end`(stage: Stage, expiry: TokenExpiry) {
        var session = Self.session(stage)
        _ = session.channelChanged(Self.channel(stage == .unrestricted ? .optional : .required, expiry))
        #expect((session.tokenEnd != nil) == (stage == .granted && expiry == .live))
        #expect((session.lackOfToken != nil) == (stage == .awaited || stage == .expired))
    }

    @Test func `a token that allows less names the rooms to leave, in the order of joining`() {
        var session = Self.session(.unrestricted)
        for room in ["b", "read", "a"] {
            #expect(Self.subscribe(&session, room) == nil)
            if room == "a" {
                let token = TestToken.make(Self.permissions)
                #expect(session.authenticateReceived(token: token, callback: 1, now: Self.now) == .wait, "it joins")
            }
            session.joinAnswered(RoomName(room), joined: true)
        }
        let token = TestToken.make(Self.permissions, data: "7")
        let action = session.authenticateReceived(token: token, callback: 1, now: Self.now)
        guard case .granted(checking: let rooms) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(rooms.filter { !session.permission(for: $0).subscribe } == [RoomName("b"), RoomName("a")])
        #expect(session.identity.authData == ByteBuffer(string: "7"))
    }

    @Test func `what a token says of thousands of rooms is right however much is remembered`() {
        var session = Self.session(.granted)
        for number in 0..<10_000 { #expect(!session.permission(for: RoomName("room-\(number)")).subscribe) }
        #expect(session.permission(for: RoomName("read")).subscribe)
        #expect(session.permission(for: RoomName("deep")).history == 2)
    }
}
