import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// Every state of a handshake with every event.
struct HandshakeTests {
    enum Stage: CaseIterable {
        case awaited
        case resuming
        case done
    }

    enum Event: CaseIterable {
        case handshake
        case resume
        case unknownChannel
        case resumeAnswered
    }

    private static let channel = RoomChannel(settings: .make())

    private static func handshake(_ stage: Stage) -> Handshake {
        var handshake = Handshake(roomLimit: 2)
        switch stage {
        case .awaited: break
        case .resuming: _ = Self.receive(&handshake, resume: "0.1.2")
        case .done: _ = Self.receive(&handshake)
        }
        return handshake
    }

    private static func receive(
        _ handshake: inout Handshake,
        resume: String? = nil,
        channel: RoomChannel? = Self.channel
    ) -> Handshake.Action {
        let request = HandshakeRequest(channel: "test", resume: resume)
        return handshake.received(
            HandshakeFrame(request: request, callback: 1),
            channel: channel,
            newID: ClientID("ann"),
            now: 0
        )
    }

    private static func run(_ event: Event, _ handshake: inout Handshake) -> Handshake.Action {
        switch event {
        case .handshake: Self.receive(&handshake)
        case .resume: Self.receive(&handshake, resume: "0.1.2")
        case .unknownChannel: Self.receive(&handshake, channel: nil)
        case .resumeAnswered: handshake.resumeAnswered(nil, channel: Self.channel, newID: ClientID("new"))
        }
    }

    private static func word(_ action: Handshake.Action) -> String {
        switch action {
        case .welcome: "welcome"
        case .resume: "resume"
        case .refuse(let error): error.code.rawValue
        case .wait: "wait"
        case .none: "none"
        }
    }

    private static let table: [Stage: [String]] = [
        .awaited: ["welcome", "resume", "unknown_channel", "none"],
        .resuming: ["wait", "wait", "wait", "welcome"],
        .done: ["already_connected", "already_connected", "already_connected", "none"],
    ]

    @Test(arguments: Stage.allCases)
    func `each event has its outcome in each state`(stage: Stage) {
        let outcomes = Event.allCases.map { event in
            var handshake = Self.handshake(stage)
            return Self.word(Self.run(event, &handshake))
        }
        #expect(outcomes == Self.table[stage])
    }

    @Test func `a channel that is not there is named, where it could be one`() {
        var handshake = Self.handshake(.awaited)
        guard case .refuse(let error) = Self.receive(&handshake, channel: nil) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.text.hasPrefix("there is no channel \"test\"; "))
        for id in ["", "a b", "admin", String(repeating: "x", count: 65), "\u{1b}[2J"] {
            #expect(Session.noChannel(id) == Session.unknownChannel)
        }
    }

    @Test(arguments: [false, true])
    func `the answer to a resume opens the session, as the earlier one or as a new one`(isKnown: Bool) {
        var handshake = Self.handshake(.resuming)
        #expect(handshake.isResuming)
        let earlier = ResumedSession(
            channel: .make(),
            clientID: ClientID("bob"),
            clientData: ByteBuffer(string: "7"),
            rooms: [RoomName("a")]
        )
        let action = handshake.resumeAnswered(isKnown ? earlier : nil, channel: Self.channel, newID: ClientID("new"))
        guard case .welcome(let welcome, let session) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(welcome.resumed == isKnown)
        #expect(welcome.clientID == ClientID(isKnown ? "bob" : "new"))
        #expect(welcome.lingeringRooms == (isKnown ? [RoomName("a")] : []))
        #expect(session.identity.clientID == welcome.clientID)
        #expect(session.identity.clientData == (isKnown ? ByteBuffer(string: "7") : nil))
        #expect(session.isSettled)
        #expect(!handshake.isResuming)
    }

    @Test(arguments: [Stage.awaited, .done])
    func `an answer to a resume that nobody waits for changes nothing`(stage: Stage) {
        var handshake = Self.handshake(stage)
        #expect(Self.word(Self.run(.resumeAnswered, &handshake)) == "none")
        #expect(Self.word(Self.run(.handshake, &handshake)) == Self.table[stage]?.first)
    }

    @Test func `a resume that cannot be answered lets the client try once more`() {
        var handshake = Self.handshake(.resuming)
        let refusal = RequestError(.tooManyConnections, "full")
        let action = handshake.resumeAnswered(nil, channel: Self.channel, refusal: refusal, newID: ClientID("new"))
        #expect(Self.word(action) == "too_many_connections")
        #expect(!handshake.isResuming)
        #expect(Self.word(Self.run(.handshake, &handshake)) == "welcome")
    }
}
