import RoomCore
import RoomModel

/// The stored rooms of a node of a cluster, with what its rooms have when they are asked for.
struct ClusterStoredRooms: StoredRoomList {
    let rooms: any StoredRoomList
    let history: FollowedHistory

    func storedRooms(
        in channel: ChannelID,
        _ query: StoredRoomQuery
    ) async throws(EngineError) -> StoredRoomPage {
        guard await self.history.hasAll() else { throw .unavailable }
        return try await self.rooms.storedRooms(in: channel, query)
    }
}
