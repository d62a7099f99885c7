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

    @Test func `what it is about may stand in the query`() {
        let request = AdminRequest(.get, ["trace", "id"], query: [("channel", "shop"), ("room", "lobby")])
        #expect((request.channel, request.room, request.member) == ("shop", "lobby", nil))
    }
}
