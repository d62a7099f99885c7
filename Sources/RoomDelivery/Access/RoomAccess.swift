package import NIOCore
package import RoomCore
package import RoomDocuments
package import RoomModel

/// Access to the rooms from any thread and without a connection, for REST and the admin API. Publishers and requests of
/// this kind are called external: they do not come from a room's members.
package protocol RoomAccess: Sendable {
    /// Publishes the way a connection does: limits, order, stamp, history, idempotency.
    ///
    /// - Parameters:
    ///   - message: one JSON value without CR and LF, of at most the channel's size.
    ///   - messageID: a repeat within ten minutes gets the first one's receipt and is delivered to nobody.
    /// - Returns: once the message is as durable as the channel promises.
    /// - Throws: `RequestError` with `unknown_channel`, `permission_denied`, `banned`, `muted`, `room_locked`, `rate_limited`,
    ///   `message_too_large`, `message_id_conflict`, `storage_unavailable`, `shutting_down`.
    func publish(
        _ message: ByteBuffer,
        to room: RoomKey,
        by publisher: ExternalPublisher,
        messageID: UniqueID?
    ) async throws(RequestError) -> ExternalPublishReceipt

    /// How many are connected to the channel; does not touch the event loops.
    func clientCount(in channel: ChannelID) -> Int

    /// The members of the channel's rooms, each once.
    func members(in channel: ChannelID) async -> [ClientID]

    /// The room's members, in the order of joining, whether it shows them or not.
    func members(of room: RoomKey) async -> [ClientID]

    /// The same for those of these rooms that have members.
    func members(of rooms: [RoomName], in channel: ChannelID) async -> [(RoomName, [ClientID])]

    /// The channel's rooms that have members, a page at a time; does not touch the event loops.
    func rooms(in channel: ChannelID, _ query: RoomQuery) async -> RoomPage

    /// The rooms of the channel that have members and the most messages a second, the busiest first.
    func busiestRooms(in channel: ChannelID, naming most: Int) async -> [AdminRoomSummary]

    /// `nil` where the broker knows of no such room.
    func room(_ room: RoomKey) async -> AdminRoom?

    /// The room's members with their connections, a page at a time.
    func members(of room: RoomKey, _ query: MemberQuery) async -> MemberPage

    /// These members, as far as they are connected to this broker: of others only the ids are told.
    func details(of clients: [ClientID], in room: RoomKey) async -> [AdminMember]

    /// `nil` where the room has no such member.
    func member(_ client: ClientID, of room: RoomKey) async -> AdminMember?

    /// - Parameter caller: those with different names take turns.
    /// - Throws: `RequestError` with `unknown_channel`, `history_off`, `storage_unavailable`.
    func history(
        of room: RoomKey,
        _ request: HistoryRequest,
        for caller: String
    ) async throws(RequestError) -> HistoryFrames

    /// The room as it goes on, for somebody who is not in it. All that the room seals after the return is in the stream.
    ///
    /// - Parameters:
    ///   - position: what comes behind this place is first; `nil`: only what happens from the return on.
    ///   - caller: those with different names take turns.
    /// - Returns: `nil` where there is no such channel any more.
    func follow(_ room: RoomKey, after position: Position?, for caller: String) async -> FollowedRoom?

    /// Makes messages of an export the room's history, or goes on with it; the room's members are told of another epoch.
    ///
    /// - Parameters:
    ///   - entries: one at least; `seq` ascends without holes, ids ascend.
    ///   - after: what the receipt of the part before says; `nil`: they are the first.
    func importHistory(
        _ entries: [LogEntry],
        into room: RoomKey,
        after: Position?
    ) async throws(HistoryImportError) -> ImportReceipt

    /// The oldest messages of a room's log were deleted, up to this one: whoever comes back from then on is told.
    func pruned(_ room: RoomKey, through place: Position) async

    /// Where a message is in its room's log, and who has got it.
    ///
    /// - Returns: `nil` where the room has no such message (any more).
    /// - Throws: `RequestError` with `unknown_channel`, `storage_unavailable`.
    func trace(_ id: UniqueID, in room: RoomKey) async throws(RequestError) -> AdminTrace?

    func statistics() async -> BrokerStatistics

    /// The members that read more slowly than their rooms publish.
    ///
    /// - Parameter most: how many the answer names at most.
    func slowMembers(naming most: Int) async -> SlowMembers

    /// The connections that had to wait in the last second because they had used their credit.
    ///
    /// - Parameter most: how many the answer names at most.
    func busyConnections(naming most: Int) async -> BusyConnections

    /// A new channel, or new settings of one: in effect on every event loop on return.
    func channelChanged(_ channel: RoomChannel) async

    /// The channel is no more: its members are told and let go, its rooms forgotten.
    func channelRemoved(_ id: ChannelID) async
}
