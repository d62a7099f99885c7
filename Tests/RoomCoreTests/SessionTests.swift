import NIOCore
import RoomModel
import RoomTestKit
import Testing

@testable import RoomCore

/// What an open session answers.
struct SessionTests {
    private static func subscribe(_ session: inout Session) -> String {
        switch session.subscribeReceived(SubscribeRequest(rooms: .one(RoomName("room"))), callback: 1) {
        case .join: "join"
        case .refuse(let error): error.code.rawValue
        case .wait: "wait"
        }
    }

    private static func unsubscribe(_ session: inout Session) -> String {
        switch session.unsubscribeReceived(.one(RoomName("room")), callback: 1) {
        case .leave: "leave"
        case .refuse(let error): error.code.rawValue
        case .wait: "wait"
        }
    }

    @Test func `nothing waits and nothing is left at the beginning`() {
        var session = Session.make()
        #expect(session.isSettled)
        #expect(session.refusal(1) == nil)
        #expect(Self.unsubscribe(&session) == "not_subscribed")
    }

    @Test func `a room is asked once at a time, and left only when it is joined`() {
        var session = Session.make()
        #expect(Self.subscribe(&session) == "join")
        #expect(!session.isSettled)
        #expect(Self.subscribe(&session) == "wait")
        #expect(Self.unsubscribe(&session) == "wait")
        session.joinAnswered(RoomName("room"), joined: true)
        #expect(session.isSettled)
        #expect(Self.unsubscribe(&session) == "leave")
        #expect(Self.unsubscribe(&session) == "not_subscribed")
    }

    @Test func `a member can subscribe again, and stays in the room whatever the room answers`() {
        var session = Session.make()
        _ = Self.subscribe(&session)
        session.joinAnswered(RoomName("room"), joined: true)
        for isLetIn in [true, false] {
            #expect(Self.subscribe(&session) == "join")
            #expect(!session.isSettled)
            #expect(Self.subscribe(&session) == "wait")
            #expect(Self.unsubscribe(&session) == "wait")
            session.joinAnswered(RoomName("room"), joined: isLetIn)
            #expect(session.isSettled)
            #expect(session.rooms[RoomName("room")] == .joined)
        }
    }

    @Test func `who is taken out after subscribing again is let in by the answer`() {
        var session = Session.make()
        _ = Self.subscribe(&session)
        session.joinAnswered(RoomName("room"), joined: true)
        _ = Self.subscribe(&session)
        session.removed(from: RoomName("room"), isAskedAgain: true)
        #expect(!session.isSettled)
        session.joinAnswered(RoomName("room"), joined: false)
        #expect(session.isSettled)
        #expect(session.rooms.isEmpty)
    }

    @Test func `a room that refused can be tried again`() {
        var session = Session.make()
        _ = Self.subscribe(&session)
        session.joinAnswered(RoomName("room"), joined: false)
        #expect(Self.subscribe(&session) == "join")
    }

    @Test func `many rooms are refused one by one, up to the limit`() {
        var session = Session.make()
        let names: [Result<RoomName, RequestError>] = ["a", "a", "b", "c"].map { .success(RoomName($0)) }
        let action = session.subscribeReceived(SubscribeRequest(rooms: .many(names)), callback: 1)
        guard case .join(let plan) = action else {
            Issue.record("\(action)")
            return
        }
        let codes = plan.rooms.map { room -> Code? in
            if case .failure(let error) = room { error.code } else { nil }
        }
        // the second "a" counts once
        #expect(codes == [nil, nil, .tooManyRooms])
        #expect(session.unsubscribeReceived(.many(names), callback: 1) == .wait)
    }

    @Test func `to leave many rooms waits while any room is being joined`() {
        var session = Session.make()
        _ = Self.subscribe(&session)
        #expect(session.unsubscribeReceived(.many([.success(RoomName("other"))]), callback: 1) == .wait)
        session.joinAnswered(RoomName("room"), joined: true)
        #expect(session.unsubscribeReceived(.many([.success(RoomName("other"))]), callback: 1) != .wait)
    }

    @Test func `queries are answered one at a time and need a callback`() {
        var session = Session.make()
        #expect(session.queryReceived(.history(RoomName("room")), callback: nil) == .refused(Session.missingCallback))
        #expect(session.queryReceived(.history(RoomName("room")), callback: 1) == .admitted)
        #expect(session.queryReceived(.history(RoomName("room")), callback: 2) == .wait)
        session.queryAnswered()
        #expect(session.queryReceived(.history(RoomName("room")), callback: 2) == .admitted)
    }

    @Test func `new member data replaces what the rooms are told`() {
        var session = Session.make()
        session.updated(clientData: ByteBuffer(string: #"{"name":"Ann"}"#))
        #expect(session.identity.sender == .make("ann", data: #"{"name":"Ann"}"#))
    }
}
