import NIOConcurrencyHelpers
import NIOCore
import RoomCore
import RoomDelivery
import RoomModel

/// Rooms that are what a test says, and remember what they are told.
final class FakeRooms: RoomAccess {
    struct State {
        var summaries: [RoomSummary] = []
        var details: [RoomKey: RoomDetail] = [:]
        var members: [RoomKey: [MemberDetail]] = [:]
        var history: Result<HistoryFrames, RequestError>?
        var asked: [HistoryRequest] = []
        var trace: MessageTrace?
        var imported: [(entries: [LogEntry], room: RoomKey, after: Position?)] = []
        var importAnswer: Result<ImportReceipt, HistoryImportError> = .failure(.occupied)
        var published: [(message: String, room: RoomKey, sender: ExternalSender, id: UniqueID?)] = []
        var publishers: [SanctionedPerson?] = []
        var receipt: Result<ExternalPublishReceipt, RequestError> = .failure(RequestError(.internal, "no receipt"))
        var changed: [RoomChannel] = []
        var removed: [ChannelID] = []
        var statistics = BrokerStatistics()
        var slow = SlowMembers()
    }

    let state = NIOLockedValueBox(State())

    func publish(
        _ message: ByteBuffer,
        to room: RoomKey,
        from sender: ExternalSender,
        person: SanctionedPerson?,
        permission: RoomPermission?,
        messageID: UniqueID?
    ) async throws(RequestError) -> ExternalPublishReceipt {
        let receipt = self.state.withLockedValue { state in
            state.published.append((String(buffer: message), room, sender, messageID))
            state.publishers.append(person)
            return state.receipt
        }
        return try receipt.get()
    }

    func clientCount(in channel: ChannelID) -> Int { 0 }

    func clients(in channel: ChannelID) async -> [ClientID] { [] }

    func members(of room: RoomKey) async -> [ClientID] { [] }

    func members(of rooms: [RoomName], in channel: ChannelID) async -> [(RoomName, [ClientID])] {
        rooms.map { ($0, []) }
    }

    func rooms(in channel: ChannelID, _ query: RoomQuery) async -> RoomPage {
        self.state.withLockedValue { state in
            let all = state.summaries.filter { room in
                room.name.text.hasPrefix(query.prefix) && query.after.map { $0.text < room.name.text } ?? true
            }
            let page = Array(all.prefix(query.limit))
            return RoomPage(rooms: page, hasMore: page.count < all.count, total: state.summaries.count)
        }
    }

    func room(_ room: RoomKey) async -> RoomDetail? { self.state.withLockedValue { $0.details[room] } }

    func memberDetails(of room: RoomKey) async -> [MemberDetail] {
        self.state.withLockedValue { $0.members[room] ?? [] }
    }

    func history(of room: RoomKey, _ request: HistoryRequest) async throws(RequestError) -> HistoryFrames {
        let answer = self.state.withLockedValue { state in
            state.asked.append(request)
            return state.history ?? .failure(RequestError(.historyOff, "this room keeps no history"))
        }
        return try answer.get()
    }

    func importHistory(
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

    func trace(_ id: UniqueID, in room: RoomKey) async throws(RequestError) -> MessageTrace? {
        self.state.withLockedValue(\.trace)
    }

    func statistics() async -> BrokerStatistics { self.state.withLockedValue(\.statistics) }

    func slowMembers(naming most: Int) async -> SlowMembers { self.state.withLockedValue(\.slow) }

    func channelChanged(_ channel: RoomChannel) async {
        self.state.withLockedValue { $0.changed.append(channel) }
    }

    func channelRemoved(_ id: ChannelID) async {
        self.state.withLockedValue { $0.removed.append(id) }
    }
}
