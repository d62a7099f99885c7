package import RoomCore
package import RoomModel

/// The rooms as moderation reaches them, from any thread. What is taken back or taken out is so on all nodes on return.
package protocol ModeratedRooms: Sendable {
    /// Bans, mutes and rules as they are from now on, on every event loop on return: members whom a ban meets are told and
    /// let go, those whom a mute meets or meets no more are told.
    ///
    /// - Parameter rooms: those whose rules have changed.
    func moderationChanged(_ moderation: ChannelModeration, in channel: ChannelID, rooms: Set<RoomName>) async

    /// The identity of a member of the room, or of the channel; of one on another node only where a room is named.
    func affected(_ client: ClientID, in channel: ChannelID, _ room: RoomName?) async -> AffectedMember?

    /// The author of a message, where the room has it.
    func author(of message: MessageReference, in room: RoomKey) async -> AffectedMember?

    /// Performs an act in a room. A member that is taken out is out at once and without a grace period, and its session cannot be resumed.
    ///
    /// - Throws: `RequestError` with `unknown_channel`, `member_not_found`, `message_not_found`, `storage_unavailable`.
    @discardableResult
    func perform(
        _ act: RoomAct,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> ModerationReceipt

    /// Ends a member's session in the channel, also one that lingers.
    ///
    /// - Returns: false where the channel has no such member.
    func expel(_ client: ClientID, from channel: ChannelID, reason: String?) async -> Bool

    /// Puts tombstones in the place of some of an author's messages, and tells the room of each.
    ///
    /// - Throws: `RequestError` with `unknown_channel`, `storage_unavailable`.
    func redact(
        _ step: AuthorStep,
        in room: RoomKey,
        by sender: Sender
    ) async throws(RequestError) -> AuthorStep.Receipt

    /// The clients of this broker whose token names the user.
    func clients(of user: String, in channel: ChannelID) async -> Set<ClientID>

    /// Tells all who are connected to the channel.
    ///
    /// - Returns: how many connections are sent it.
    func notify(_ notice: Notice, in channel: ChannelID, by sender: Sender) async -> Int
}
