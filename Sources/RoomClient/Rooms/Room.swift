import RoomModel

/// A room that this client is in, from ``RoomClient/join(_:of:history:since:)`` until ``leave()``, or until nobody holds the
/// room or reads its feeds any more.
///
/// Over reconnections it is the same room: the client joins it again and goes on where it stopped.
public final class Room<Body: Sendable>: Sendable {
    let membership: Membership
    private let coding: BodyCoding<Body>

    init(_ membership: Membership, coding: BodyCoding<Body>) {
        self.membership = membership
        self.coding = coding
    }

    /// The room's name.
    public var name: String { self.membership.room.text }

    /// Every message of the room, from joining on: the history that was asked for, then what is published. Stored messages
    /// come exactly once and in order; what cannot be had, and what moderators take away afterwards, is told in ``events`` only.
    /// A message that was taken away before it was read comes as a tombstone, see ``RoomMessage/isRedacted``.
    public var messages: RoomFeed<RoomMessage<Body>> {
        let (coding, client) = (self.coding, self.membership.client.board)
        return RoomFeed(self.membership.messages, self.membership) { event in
            if case .message(let message) = event {
                RoomMessage(message, coding: coding, client: client)
            } else {
                nil
            }
        }
    }

    /// Messages, presence, gaps and what moderators do, in one order. Independent of ``messages``: both may be read at the same time.
    public var events: RoomFeed<RoomEvent<Body>> {
        let (coding, client) = (self.coding, self.membership.client.board)
        return RoomFeed(self.membership.events, self.membership) { RoomEvent($0, coding: coding, client: client) }
    }

    /// Who is in the room now, oneself included. Empty in rooms without presence (whose name does not begin with
    /// `observable-`) and in rooms of more members than the broker lists (1,000).
    public var members: [Member] { self.membership.board.members }

    /// How many are in the room now; more than ``members`` in a very large room.
    public var memberCount: Int { self.membership.board.memberCount }

    /// After the newest message that this client has received, read or not. To go on after the last one that was read, keep
    /// its ``RoomMessage/position``.
    public var position: RoomPosition? { self.membership.board.position.map { RoomPosition($0) } }

    /// Why the feeds have ended; `nil` while they go on, and when the room was left. Where the broker has taken this client out
    /// it does not go back by itself: ``RoomClientError/Code/permissionDenied`` because of its token,
    /// ``RoomClientError/Code/kicked`` and ``RoomClientError/Code/banned`` by a moderator.
    public var endError: RoomClientError? { self.membership.board.endError }

    /// Leaves the room: the others see it at once, and the feeds end after what they have buffered.
    public func leave() async {
        let (membership, waiter) = (self.membership, Waiter<Void>())
        membership.client.core.post { $0.leave(membership.room, membershipID: membership.membershipID, waiter: waiter) }
        // In a cancelled task the room is left all the same, only nobody waits for it.
        try? await waiter.wait()
    }

    /// Changes what others see of this member, in all of its rooms: see ``RoomClient/update(_:)``.
    public func update<MemberData: Encodable>(_ memberData: MemberData) async throws(RoomClientError) {
        try await self.membership.client.update(memberData)
    }

    /// What a moderator does in this room.
    public var moderation: RoomModeration { RoomModeration(self.membership.room, client: self.membership.client) }

    // MARK: Publishing

    /// Publishes any JSON; otherwise as ``publish(_:)``.
    @discardableResult
    public func publish(json: JSON) async throws(RoomClientError) -> PublishReceipt {
        try await self.membership.client.publish(json, to: self.membership.room)
    }

    /// Publishes any JSON that is worthless a moment later; otherwise as ``publishEphemeral(_:)``.
    public func publishEphemeral(json: JSON) async throws(RoomClientError) {
        try await self.membership.client.publishEphemeral(json, to: self.name)
    }

    // MARK: History

    /// Stored messages, the newest ones or those before a place.
    ///
    /// - Parameters:
    ///   - seq: only messages before this one; `nil`: the newest.
    ///   - limit: how many, 1 to 1,000; the broker gives at most 256 KiB at a time.
    /// - Throws: ``RoomClientError/Code/historyOff``, ``RoomClientError/Code/timedOut``…
    public func history(before seq: UInt64? = nil, limit: Int = 100) async throws(RoomClientError) -> HistoryPage<Body>
    {
        try await self.history(seq.map { .before($0) } ?? .newest, limit)
    }

    /// Stored messages after a place, the oldest ones first: page on with the last of each page's ``HistoryPage/seqs``.
    ///
    /// - Parameters:
    ///   - seq: only messages after this one.
    ///   - limit: how many, 1 to 1,000; the broker gives at most 256 KiB at a time.
    /// - Throws: ``RoomClientError/Code/historyOff``, ``RoomClientError/Code/timedOut``…
    public func history(after seq: UInt64, limit: Int = 100) async throws(RoomClientError) -> HistoryPage<Body> {
        try await self.history(.after(seq), limit)
    }

    private func history(
        _ anchor: HistoryRequest.Anchor,
        _ limit: Int
    ) async throws(RoomClientError) -> HistoryPage<Body> {
        let request = HistoryRequest(room: self.membership.room, anchor: anchor, limit: limit)
        let waiter = Waiter<FetchedHistory>()
        self.membership.client.core.post { $0.history(request, waiter: waiter) }
        let page = try await waiter.wait()
        return HistoryPage(
            messages: page.messages.map { RoomMessage($0, coding: self.coding, client: self.membership.client.board) },
            seqs: page.seqs,
            hasMore: page.hasMore
        )
    }
}

extension Room where Body: Encodable {
    /// Publishes a message to everybody in the room, oneself included.
    ///
    /// It goes out at once and is tried until the broker has acknowledged it, over reconnections, with one id by which the
    /// broker knows a repeat. To publish fast, publish from several tasks: each call waits for its own acknowledgement.
    ///
    /// - Returns: the message's id, place and time.
    /// - Throws: what the broker has against it, such as ``RoomClientError/Code/permissionDenied``,
    ///   ``RoomClientError/Code/muted`` and ``RoomClientError/Code/roomLocked``;
    ///   ``RoomClientError/Code/timedOut`` after ``RoomClient/Configuration/publishTimeout``, where the outcome is unknown; ``RoomClientError/Code/outboxFull``;
    ///   ``RoomClientError/Code/encodingFailed``; ``RoomClientError/Code/cancelled``, where it may have been stored.
    @discardableResult
    public func publish(_ body: Body) async throws(RoomClientError) -> PublishReceipt {
        try await self.publish(json: JSON(encoding: body))
    }

    /// Publishes what is worthless a moment later, such as a typing indicator: delivered to those who are there, never stored,
    /// never repeated, without a `seq`.
    ///
    /// - Throws: what the broker has against it; ``RoomClientError/Code/notConnected`` and
    ///   ``RoomClientError/Code/connectionLost``; ``RoomClientError/Code/encodingFailed``.
    public func publishEphemeral(_ body: Body) async throws(RoomClientError) {
        try await self.publishEphemeral(json: JSON(encoding: body))
    }
}

extension RoomEvent {
    init(_ event: IncomingEvent, coding: BodyCoding<Body>, client: ConnectionBoard) {
        self =
            switch event {
            case .message(let message): .message(RoomMessage(message, coding: coding, client: client))
            case .members(let members): .members(members)
            case .joined(let member): .joined(member)
            case .left(let member): .left(member)
            case .updated(let member): .updated(member)
            case .gap(let gap): .gap(gap)
            case .redacted(let redaction): .redacted(RoomRedaction(redaction))
            case .cleared(let position, let sender): .cleared(RoomPosition(position), by: sender)
            case .notice(let notice): .notice(notice)
            case .muted(let mute): .muted(mute)
            case .unmuted: .unmuted
            }
    }
}
