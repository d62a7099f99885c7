import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Every state of a session with every kind of request.
struct SessionTests {
    enum Stage: CaseIterable {
        case awaitingHandshake
        case resuming
        case open
        case closed
    }

    enum Asking: CaseIterable {
        case handshake
        case resume
        case unknownChannel
        case subscribe
        case unsubscribe
        case other
        case query
    }

    private static let channel = RoomChannel(settings: .make())

    private static func session(_ stage: Stage) -> Session {
        var session = Session(roomLimit: 2)
        switch stage {
        case .awaitingHandshake: break
        case .resuming: _ = Self.handshake(&session, resume: "0.1.2")
        case .open: _ = Self.handshake(&session)
        case .closed:
            _ = Self.handshake(&session)
            _ = session.closed()
        }
        return session
    }

    private static func handshake(
        _ session: inout Session,
        resume: String? = nil,
        channel: RoomChannel? = Self.channel
    ) -> Session.HandshakeAction {
        let request = HandshakeRequest(channel: "test", resume: resume)
        return session.handshakeReceived(
            HandshakeFrame(request: request, callback: 1),
            channel: channel,
            newID: ClientID("ann"),
            now: 0
        )
    }

    private static func ask(_ asking: Asking, _ session: inout Session) -> String {
        switch asking {
        case .handshake: Self.word(Self.handshake(&session))
        case .resume: Self.word(Self.handshake(&session, resume: "0.1.2"))
        case .unknownChannel: Self.word(Self.handshake(&session, channel: nil))
        case .subscribe:
            switch session.subscribeReceived(SubscribeRequest(rooms: .one(RoomName("room"))), callback: 1) {
            case .join: "join"
            case .refuse(let error): error.code.rawValue
            case .wait: "wait"
            case .none: "none"
            }
        case .unsubscribe:
            switch session.unsubscribeReceived(.one(RoomName("room")), callback: 1) {
            case .leave: "leave"
            case .refuse(let error): error.code.rawValue
            case .wait: "wait"
            case .none: "none"
            }
        case .other: Self.word(session.admission(1))
        case .query: Self.word(session.queryReceived(.history(RoomName("room")), callback: 1))
        }
    }

    private static func word(_ action: Session.HandshakeAction) -> String {
        switch action {
        case .welcome: "welcome"
        case .resume: "resume"
        case .refuse(let error): error.code.rawValue
        case .wait: "wait"
        case .none: "none"
        }
    }

    private static func word(_ admission: Session.Admission) -> String {
        switch admission {
        case .admitted: "admitted"
        case .refused(let error): error.code.rawValue
        case .wait: "wait"
        case .closed: "none"
        }
    }

    private static let table: [Stage: [String]] = [
        .awaitingHandshake: [
            "welcome", "resume", "unknown_channel", "handshake_required", "handshake_required", "handshake_required",
            "handshake_required",
        ],
        .resuming: Array(repeating: "wait", count: 7),
        .open: [
            "already_connected", "already_connected", "already_connected", "join", "not_subscribed", "admitted",
            "admitted",
        ],
        .closed: Array(repeating: "none", count: 7),
    ]

    @Test(arguments: Stage.allCases)
    func `each request has its outcome in each state`(stage: Stage) {
        let outcomes = Asking.allCases.map { asking in
            var session = Self.session(stage)
            return Self.ask(asking, &session)
        }
        #expect(outcomes == Self.table[stage])
    }

    @Test(arguments: [false, true])
    func `the answer to a resume opens the session, as the earlier one or as a new one`(isKnown: Bool) {
        var session = Self.session(.resuming)
        let earlier = ResumedSession(
            channel: .make(),
            clientID: ClientID("bob"),
            clientData: ByteBuffer(string: "7"),
            rooms: [RoomName("a")]
        )
        let action = session.resumeAnswered(isKnown ? earlier : nil, channel: Self.channel, newID: ClientID("new"))
        guard case .welcome(let welcome) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(welcome.resumed == isKnown)
        #expect(welcome.clientID == ClientID(isKnown ? "bob" : "new"))
        #expect(welcome.lingeringRooms == (isKnown ? [RoomName("a")] : []))
        #expect(session.identity?.clientData == (isKnown ? ByteBuffer(string: "7") : nil))
        #expect(session.state == .open)
    }

    @Test(arguments: [Stage.awaitingHandshake, .open, .closed])
    func `an answer to a resume that nobody waits for changes nothing`(stage: Stage) {
        var session = Self.session(stage)
        let state = session.state
        #expect(session.resumeAnswered(nil, channel: Self.channel, newID: ClientID("new")) == .none)
        #expect(session.state == state)
    }

    @Test func `a room is joined once, and left only when it is joined`() {
        var session = Self.session(.open)
        #expect(Self.ask(.subscribe, &session) == "join")
        #expect(!session.isSettled)
        #expect(Self.ask(.subscribe, &session) == "already_subscribed")
        #expect(Self.ask(.unsubscribe, &session) == "wait")
        session.joinAnswered(RoomName("room"), joined: true)
        #expect(session.isSettled)
        #expect(Self.ask(.unsubscribe, &session) == "leave")
        #expect(Self.ask(.unsubscribe, &session) == "not_subscribed")
    }

    @Test func `a room that refused can be tried again`() {
        var session = Self.session(.open)
        _ = Self.ask(.subscribe, &session)
        session.joinAnswered(RoomName("room"), joined: false)
        #expect(Self.ask(.subscribe, &session) == "join")
    }

    @Test func `many rooms are refused one by one, up to the limit`() {
        var session = Self.session(.open)
        let names: [Result<RoomName, RequestError>] = ["a", "a", "b", "c"].map { .success(RoomName($0)) }
        let action = session.subscribeReceived(SubscribeRequest(rooms: .many(names)), callback: 1)
        guard case .join(let plan) = action else {
            Issue.record("\(action)")
            return
        }
        let codes = plan.rooms.map { room -> Code? in
            if case .failure(let error) = room { error.code } else { nil }
        }
        #expect(codes == [nil, .alreadySubscribed, nil, .tooManyRooms])
        #expect(session.unsubscribeReceived(.many(names), callback: 1) == .wait)
    }

    @Test func `queries are answered one at a time and need a callback`() {
        var session = Self.session(.open)
        #expect(session.queryReceived(.history(RoomName("room")), callback: nil) == .refused(Session.missingCallback))
        #expect(session.queryReceived(.history(RoomName("room")), callback: 1) == .admitted)
        #expect(session.queryReceived(.history(RoomName("room")), callback: 2) == .wait)
        session.queryAnswered()
        #expect(session.queryReceived(.history(RoomName("room")), callback: 2) == .admitted)
    }

    @Test func `a session that waits for its resume is not settled`() {
        #expect(!Self.session(.resuming).isSettled)
        #expect(Self.session(.open).isSettled)
    }

    @Test func `closing gives the rooms to leave, once`() {
        var session = Self.session(.open)
        _ = Self.ask(.subscribe, &session)
        #expect(session.closed() == [RoomName("room")])
        #expect(session.closed() == [])
        session.joinAnswered(RoomName("room"), joined: true)
        #expect(session.closed() == [])
    }

    @Test func `new member data replaces what the rooms are told`() {
        var session = Self.session(.open)
        session.updated(clientData: ByteBuffer(string: #"{"name":"Ann"}"#))
        #expect(session.identity?.sender == .make("ann", data: #"{"name":"Ann"}"#))
    }
}
