package import NIOConcurrencyHelpers
package import NIOCore
package import RoomCore
package import RoomDelivery
package import RoomDocuments
package import RoomModel

/// Rooms that are what a test says, and remember what they are told.
package final class FakeRooms: RoomAccess {
    package struct State {
        package var summaries: [AdminRoomSummary] = []
        package var details: [RoomKey: AdminRoom] = [:]
        package var members: [RoomKey: [AdminMember]] = [:]
        package var history: Result<HistoryFrames, RequestError>?
        package var asked: [HistoryRequest] = []
        package var followed: [FollowedPart] = []
        package var followedAfter: Position?
        package var trace: AdminTrace?
        package var imported: [(entries: [LogEntry], room: RoomKey, after: Position?)] = []
        package var importAnswer: Result<ImportReceipt, HistoryImportError> = .failure(.occupied)
        package var pruned: [RoomKey: Position] = [:]
        package var published: [(message: String, room: RoomKey, sender: ExternalSender, id: UniqueID?)] = []
        package var publishers: [ExternalPublisher] = []
        package var receipt: Result<ExternalPublishReceipt, RequestError> = .failure(
            RequestError(.internal, "no receipt")
        )
        package var changed: [RoomChannel] = []
        package var removed: [ChannelID] = []
        package var statistics = BrokerStatistics()
        package var slow = SlowMembers()
        package var busy = BusyConnections()
    }

    package let state = NIOLockedValueBox(State())

    package init() {}

    package func publish(
        _ message: ByteBuffer,
        to room: RoomKey,
        by publisher: ExternalPublisher,
        messageID: UniqueID?
    ) async throws(RequestError) -> ExternalPublishReceipt {
        let receipt = self.state.withLockedValue { state in
            state.published.append((String(buffer: message), room, publisher.sender, messageID))
            state.publishers.append(publisher)
            return state.receipt
        }
        return try receipt.get()
    }

    package func clientCount(in channel: ChannelID) -> Int { 0 }

    package func members(in channel: ChannelID) async -> [ClientID] { [] }

    package func members(of room: RoomKey) async -> [ClientID] { [] }

    package func members(of rooms: [RoomName], in channel: ChannelID) async -> [(RoomName, [ClientID])] {
        rooms.map { ($0, []) }
    }

    package func rooms(in channel: ChannelID, _ query: RoomQuery) async -> RoomPage {
        self.state.withLockedValue { state in
            let all = state.summaries.filter { room in
                room.name.hasPrefix(query.prefix) && query.after.map { $0.text < room.name } ?? true
            }
            let page = Array(all.prefix(query.limit))
            return RoomPage(rooms: page, hasMore: page.count < all.count, total: state.summaries.count)
        }
    }

    package func busiestRooms(in channel: ChannelID, naming most: Int) async -> [AdminRoomSummary] {
        self.state.withLockedValue { Array($0.summaries.prefix(most)) }
    }

    package func room(_ room: RoomKey) async -> AdminRoom? { self.state.withLockedValue { $0.details[room] } }

    package func members(of room: RoomKey, _ query: MemberQuery) async -> MemberPage {
        let all = self.state.withLockedValue { $0.members[room] ?? [] }.sorted { $0.id < $1.id }
        let rest = all.filter { member in query.after.map { $0 < member.id } ?? true }
        let page = Array(rest.prefix(query.limit))
        return MemberPage(members: page, hasMore: page.count < rest.count, total: all.count)
    }

    package func details(of clients: [ClientID], in room: RoomKey) async -> [AdminMember] {
        self.state.withLockedValue { $0.members[room] ?? [] }.filter { clients.contains(ClientID($0.id)) }
    }

    package func member(_ client: ClientID, of room: RoomKey) async -> AdminMember? {
        self.state.withLockedValue { $0.members[room]?.first { $0.id == client.text } }
    }

    package func history(
        of room: RoomKey,
        _ request: HistoryRequest,
        for caller: String
    ) async throws(RequestError) -> HistoryFrames {
        let answer = self.state.withLockedValue { state in
            state.asked.append(request)
            return state.history ?? .failure(RequestError(.historyOff, "this room keeps no history"))
        }
        return try answer.get()
    }

    /// Gives what it has, and ends.
    package func follow(
        _ room: RoomKey,
        after position: Position?,
        for caller: String
    ) async -> FollowedRoom? {
        let parts = self.state.withLockedValue { state in
            state.followedAfter = position
            return state.followed
        }
        let left = NIOLockedValueBox(parts[...])
        return FollowedRoom { left.withLockedValue { $0.popFirst() }.map { [$0] } }
    }

    package func importHistory(
        _ entries: [LogEntry],
        into room: RoomKey,
        after: Position?
    ) async throws(HistoryImportError) -> ImportReceipt {
        let answer = self.state.withLockedValue { state in
            state.imported.append((entries, room, after))
            return state.importAnswer
        }
        return try answer.get()
    }

    package func trace(_ id: UniqueID, in room: RoomKey) async throws(RequestError) -> AdminTrace? {
        self.state.withLockedValue(\.trace)
    }

    package func pruned(_ room: RoomKey, through place: Position) async {
        self.state.withLockedValue { $0.pruned[room] = place }
    }

    package func statistics() async -> BrokerStatistics { self.state.withLockedValue(\.statistics) }

    package func slowMembers(naming most: Int) async -> SlowMembers { self.state.withLockedValue(\.slow) }

    package func busyConnections(naming most: Int) async -> BusyConnections { self.state.withLockedValue(\.busy) }

    package func channelChanged(_ channel: RoomChannel) async {
        self.state.withLockedValue { $0.changed.append(channel) }
    }

    package func channelRemoved(_ id: ChannelID) async {
        self.state.withLockedValue { $0.removed.append(id) }
    }
}
