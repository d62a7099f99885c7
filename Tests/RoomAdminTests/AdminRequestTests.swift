import Foundation
import NIOCore
import RoomClient
import Testing

@testable import RoomAdmin

@Suite struct AdminRequestTests {
    @Test func `names are encoded, their slashes too`() {
        let request = AdminRequest(
            .get,
            ["channels", "shop", "rooms", "a/b ü?", "members", "x"],
            query: [("prefix", "a&b=c+d"), ("limit", "1")]
        )
        #expect(
            request.target == "/admin/v1/channels/shop/rooms/a%2Fb%20%C3%BC%3F/members/x?prefix=a%26b%3Dc%2Bd&limit=1"
        )
        #expect((request.channel, request.room, request.member) == ("shop", "a/b ü?", "x"))
    }

    @Test func `a member may be of a room, or of the whole channel`() {
        let request = AdminRequest(.delete, ["channels", "shop", "members", "x"])
        #expect((request.channel, request.room, request.member) == ("shop", nil, "x"))
        let message = AdminRequest(.delete, ["channels", "shop", "rooms", "members", "messages", "41"])
        #expect((message.room, message.member) == ("members", nil))
    }

    @Test func `an author is asked for by the message`() {
        let request = AdminCall.author(of: "41", in: "a/b", of: "shop").request
        #expect(request.target == "/admin/v1/channels/shop/rooms/a%2Fb/messages/41/author")
        #expect((request.room, request.member) == ("a/b", nil))
    }

    @Test func `two spellings of an accent are two subjects`() {
        #expect(AdminSubject.user("Ren\u{e9}") != .user("Rene\u{301}"))
        #expect(AdminSubject.user("a") == .user("a") && AdminSubject.user("a") != .client("a"))
    }

    @Test func `what it is about may stand in the query`() {
        let request = AdminRequest(.get, ["trace", "id"], query: [("channel", "shop"), ("room", "lobby")])
        #expect((request.channel, request.room, request.member) == ("shop", "lobby", nil))
    }

    @Test func `figures are read with what was known`() throws {
        let text = #"""
            {"samples":[{"time":"2026-11-21T15:12:07.120Z","connections":3,"wire_formats":{"json":2,"events":1},"rooms":1,
            "members":3,"commit_99th":0.25,"loop_99th":0.5,"loop_longest":1}]}
            """#
        let figures = try #require(try AdminFigureList(json: ByteBuffer(string: text)).samples.first)
        #expect(figures.wireFormats == ["json": 2, "events": 1] && figures.members == 3)
        #expect(figures.commit99th == 0.25 && figures.loop99th == 0.5 && figures.loopLongest == 1)
        #expect(figures.residentBytes == nil && figures.publishes == nil)
        let time = try #require(figures.time.date)
        #expect(AdminCall.figures(after: time).request.target == "/admin/v1/figures?after=1795273927120")
    }

    @Test func `only a request whose repeat changes nothing may be sent again`() throws {
        #expect(AdminRequest(.get, ["channels"]).canBeRepeated)
        #expect(!AdminRequest(.post, ["backups"]).canBeRepeated)
        #expect(AdminCall.publish(try JSON("1"), to: "lobby", in: "shop").request.canBeRepeated)
    }

    @Test(arguments: [
        (#"{"type":"publish","seq":7,"client_id":"a","message":{"n":1.0}}"#, "", "publish", #"{"n":1.0}"#),
        (#"{"epoch":"0","from_seq":1,"to_seq":2,"reason":"slow"}"#, "gap", "gap", nil),
    ])
    func `an event of a room is a frame or a word`(data: String, word: String, kind: String, message: String?) {
        let event = AdminRoomEvent(EventLines.Event(id: "0:7", type: word, data: data))
        #expect(event?.kind.rawValue == kind && event?.message?.description == message)
        #expect(event?.json.description == data && event?.place == "0:7")
        #expect(event?.clientID == (kind == "publish" ? "a" : nil))
    }

    @Test func `an event of presence names its member, and a list of members nobody`() {
        let member = #"{"type":"observable_member_leave","data":{"id":"b"},"sender":{"id":"b"}}"#
        let event = AdminRoomEvent(EventLines.Event(id: nil, type: "", data: member))
        #expect(event?.kind == .left && event?.clientID == "b" && event?.place == nil)
        let members = #"{"type":"observable_members","data":[{"id":"b"}]}"#
        let list = AdminRoomEvent(EventLines.Event(id: nil, type: "", data: members))
        #expect(list?.kind.rawValue == "observable_members" && list?.clientID == nil)
    }

    @Test(arguments: ["", "[1]", "{}", "{"]) func `what is not a frame is not shown`(data: String) {
        #expect(AdminRoomEvent(EventLines.Event(id: nil, type: "", data: data)) == nil)
    }
}
