import NIOHTTP1
import RoomControl
import RoomCore
import RoomDelivery
import RoomDocuments
import RoomModel

/// Rooms of which something is stored.
struct StoredRoomRoutes: AdminRoutes {
    let places: AdminPlaces
    let rooms: any RoomAccess
    let storedRooms: (any StoredRoomList)?

    func add(to router: inout AdminRouter) {
        let names = ["after", "limit", "prefix"]
        router.on(.GET, "channels/:channel/stored-rooms", scope: .read, query: names, self.listStoredRooms)
    }

    @Sendable private func listStoredRooms(_ call: AdmittedCall) async throws(Problem) -> HTTPResponse {
        let channel = try await self.places.channel(of: call)
        let query = StoredRoomQuery(
            prefix: try call.query.text("prefix", of: 0...self.places.limits.roomName) ?? "",
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
        var rooms: [AdminStoredRoom] = []
        for room in page.rooms {
            let members = await self.rooms.room(RoomKey(channel: channel, room: room.name))?.members ?? 0
            rooms.append(AdminStoredRoom(room, members: members))
        }
        let next = page.hasMore ? page.rooms.last?.name.text : nil
        return .page("rooms", rooms, total: page.total, next: next)
    }
}

extension AdminStoredRoom {
    fileprivate init(_ room: StoredRoomSummary, members: Int) {
        self.init(placeholder: ())
        (self.name, self.members, self.messages) = (room.name.text, members, room.messages)
        (self.bytes, self.bytesAreEstimated) = (room.bytes, room.isEstimate)
        self.oldest = room.times.map { AdminTime(milliseconds: $0.lowerBound) }
        self.newest = room.times.map { AdminTime(milliseconds: $0.upperBound) }
        (self.seq, self.epoch) = (room.lastSeq, "\(room.epoch)")
    }
}
