import NIOHTTP1
import RoomModel
import Testing

@testable import RoomHTTP

@Suite struct RESTRouteTests {
    private func route(_ path: String) throws -> RESTRoute { try RESTRoute(path, limits: FrameLimits()) }

    private func refusal(_ path: String) -> String? {
        do throws(Problem) {
            _ = try RESTRoute(path, limits: FrameLimits())
            return nil
        } catch {
            return "\(error.status.code) \(error.code)"
        }
    }

    @Test(
        arguments: [
            ("/c/a/publish", .publish(RoomName("a"))), ("/c/publish/publish", .publish(RoomName("publish"))),
            ("/c/publish/rooms?r=a", .publishMany([RoomName("a")])), ("/c/stats", .stats), ("/c/members?x=1", .members),
            ("/c/rooms", .rooms), ("/c/room-members", .roomMembers), ("/c/a/members", .membersOfRoom(RoomName("a"))),
            ("/c/publish/members", .membersOfRoom(RoomName("publish"))),
            ("/c/../members", .membersOfRoom(RoomName(".."))),
            ("/c/a%2Fb/members", .membersOfRoom(RoomName("a/b"))), ("/c/a+b/members", .membersOfRoom(RoomName("a+b"))),
            ("/c/%C3%A4/publish", .publish(RoomName("ä"))), ("/c/rooms/publish", .publish(RoomName("rooms"))),
            ("/c/publish/rooms?r=a&q=1&r=b+c&r=a&r=%2B", .publishMany(["a", "b c", "+"].map { RoomName($0) })),
        ] as [(String, RESTRoute.Target)]
    )
    func `a path names`(path: String, target: RESTRoute.Target) throws {
        let route = try self.route(path)
        #expect(route.channel == "c")
        #expect(route.target == target)
    }

    @Test(
        arguments: [
            ("/", "404 not_found"), ("/c", "404 not_found"), ("/c/stats/", "404 not_found"),
            ("/c/a/b/c", "404 not_found"),
            ("//stats/x", "404 not_found"), ("/c/lobby", "404 not_found"), ("/c/rooms/rooms", "404 not_found"),
            ("/c//publish", "400 room_name_invalid"), ("/c/%00/publish", "400 room_name_invalid"),
            ("/c/%ff/publish", "400 invalid_utf8"), ("/c/%ED%A0%80/publish", "400 invalid_utf8"),
            ("/c/%4/publish", "400 malformed_request"), ("/c/%+1/publish", "400 malformed_request"),
            ("/c/publish/rooms", "400 invalid_field"), ("/c/publish/rooms?R=a", "400 invalid_field"),
            ("/%ff/stats", "400 invalid_utf8"),
        ] as [(String, String)]
    )
    func `a path that names nothing`(path: String, refusal: String) {
        #expect(self.refusal(path) == refusal)
    }

    @Test func `rooms in one request are bounded`() {
        let query = (0...1_000).map { "r=\($0)" }.joined(separator: "&")
        #expect(self.refusal("/c/publish/rooms?\(query)") == "400 invalid_field")
    }
}
