import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomJSON
import RoomModel

extension AdminAPI {
    func addStoredRooms(to routes: inout HTTPRoutes) {
        let names = ["after", "limit", "prefix"]
        self.on(.GET, "channels/:channel/stored-rooms", in: &routes, scope: .read, query: names, self.listStoredRooms)
    }

    @Sendable private func listStoredRooms(_ call: AdminCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.existing(call)
        let query = StoredRoomQuery(
            prefix: try call.query.text("prefix", of: 0...self.frames.roomName) ?? "",
            after: try call.query.cursor("after").map { RoomName($0) },
            limit: try call.query.limit,
            asker: .administrator(call.caller.actor)
        )
        let page: StoredRoomPage
        do throws(EngineError) {
            page =
                try await self.storedRooms?.storedRooms(in: channel, query)
                ?? StoredRoomPage(rooms: [], hasMore: false, total: 0)
        } catch {
            throw Problem(RequestError(.storageUnavailable, "the history cannot be read now; try again later"))
        }
        var rooms: [JSONTree] = []
        for room in page.rooms {
            let members = await self.rooms.room(RoomKey(channel: channel, room: room.name))?.members ?? 0
            rooms.append(Self.tree(room, members: members))
        }
        return .document(
            .object([
                .init("rooms", .array(rooms)), .init("total", .integer(page.total)),
                .init("next", .next(page.hasMore ? page.rooms.last?.name.text : nil)),
            ])
        )
    }

    private static func tree(_ room: StoredRoomSummary, members: Int) -> JSONTree {
        .object([
            .init("name", .string(room.name.text)), .init("members", .integer(members)),
            .init("messages", .integer(room.messages)), .init("bytes", .integer(room.bytes)),
            .init("bytes_are_estimated", .bool(room.isEstimate)),
            .init("oldest", .optional(room.times) { .time(milliseconds: $0.lowerBound) }),
            .init("newest", .optional(room.times) { .time(milliseconds: $0.upperBound) }),
            .init("seq", .integer(room.lastSeq)), .init("epoch", .string("\(room.epoch)")),
        ])
    }
}
