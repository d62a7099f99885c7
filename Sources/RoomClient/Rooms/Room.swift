import RoomModel

/// A room that this client is in: from ``RoomClient/join(_:of:history:since:presence:)`` until ``leave()``, or until the app holds no
/// reference to the room and to its feeds any more.
///
/// After a reconnection the client joins the room again and continues where it stopped; this object stays the same.
public final class Room<Body: Sendable>: Sendable {
    let membership: Membership
    private let coding: BodyCoding<Body>

    init(_ membership: Membership, coding: BodyCoding<Body>) {
        self.membership = membership
        self.coding = coding
    }

    /// The name of the room.
    public var name: String { self.membership.room.text }

    /// The messages of the room: first the requested history, then new messages.
    ///
    /// Every stored message comes exactly once and in order. Gaps, signals, and redactions of messages that were already delivered
    /// are reported in ``events`` only. A message that was redacted before the app read it comes as a tombstone, see
    /// ``RoomMessage/isRedacted``.
    public var messages: RoomFeed<RoomMessage<Body>> {
        let (coding, client) = (self.coding, self.membership.client.broadcaster)
        return RoomFeed(feed: self.membership.messages, membership: self.membership) { event in
            guard case .message(let message) = event, message.signal == nil else { return nil }
            return RoomMessage(message: message, coding: coding, client: client)
        }
    }

    /// Messages, presence, gaps and moderation, in the order of the room. Independent of ``messages``: two tasks can read both at
    /// the same time.
    public var events: RoomFeed<RoomEvent<Body>> {
        let (coding, client) = (self.coding, self.membership.client.broadcaster)
        return RoomFeed(feed: self.membership.events, membership: self.membership) {
            RoomEvent($0, coding: coding, client: client)
        }
    }

    /// Whether the broker shows this client who is in the room. It does not if the app has joined with `presence: false`, or if
    /// the channel is set to show the members of fewer rooms.
    public var showsMembers: Bool { self.membership.state.showsMembers }

    /// The present members of the room, this client included. Empty if the broker does not show them (``showsMembers``), and in a
    /// room with more than 1,000 members, which it does not list.
    public var members: [Member] { self.membership.state.members }

    /// The number of present members. In a room with more than 1,000 members it is known although ``members`` is empty.
    public var memberCount: Int { self.membership.state.memberCount }

    /// The position after the newest message that this client has received, whether or not the app has read it; `nil` before the
    /// first answer. To continue later after the last message that the app has read, keep its ``RoomMessage/position``.
    public var position: RoomPosition? { self.membership.state.position.map { RoomPosition($0) } }

    /// The error that ended the feeds; `nil` while they continue, and after ``leave()``. It is set before the feeds end.
    ///
    /// It is ``RoomClientError/Code/permissionDenied`` if the access token does not allow the room any more,
    /// ``RoomClientError/Code/kicked`` or ``RoomClientError/Code/banned`` if a moderator removed this client, another code of the
    /// broker if the room did not take the client back after a reconnection, and the error of the client, or
    /// ``RoomClientError/Code/closed``, if the client is closed. The client does not join the room again automatically.
    public var endError: RoomClientError? { self.membership.state.endError }

    /// Leaves the room. The other members see it immediately, and the feeds end after the events that they have buffered. Messages
    /// that wait for their acknowledgement are still published; later ones throw ``RoomClientError/Code/closed``.
    public func leave() async {
        let (membership, waiter) = (self.membership, Waiter<Void>())
        membership.client.core.post {
            $0.rooms.leave(membership.room, membershipID: membership.membershipID, waiter: waiter)
        }
        // A cancelled task leaves the room too; only this call does not wait for it.
        try? await waiter.wait()
    }

    /// Changes the member data of this client, in all of its rooms; the same as ``RoomClient/update(_:)``.
    ///
    /// - Parameter memberData: the data that the other members see; at most 8 KiB of JSON.
    /// - Throws: ``RoomClientError/Code/encodingFailed``; ``RoomClientError/Code/messageTooLarge``.
    public func update<MemberData: Encodable>(_ memberData: MemberData) async throws(RoomClientError) {
        try await self.membership.client.update(memberData)
    }

    /// The actions of a moderator in this room.
    public var moderation: RoomModeration { RoomModeration(room: self.membership.room, client: self.membership.client) }

    // MARK: Publishing

    /// Publishes a JSON value of any kind; otherwise the same as ``publish(_:)``.
    @discardableResult
    public func publish(json: JSON) async throws(RoomClientError) -> PublishReceipt {
        let membership = self.membership
        return try await membership.client.startPublishing(json, to: membership.room, as: membership.ref).value()
    }

    /// Publishes a JSON value of any kind; otherwise the same as ``publishEphemeral(_:)``.
    public func publishEphemeral(json: JSON) async throws(RoomClientError) {
        let membership = self.membership
        try await membership.client.publishEphemeral(json, to: membership.room, as: membership.ref)
    }

    // MARK: History

    /// Reads stored messages: the newest ones, or those before a place.
    ///
    /// - Parameters:
    ///   - seq: read only messages before this place; `nil`: read the newest ones.
    ///   - limit: the maximum number of messages, 1 to 1,000. The broker sends at most 256 KiB in one page.
    /// - Returns: a page, the oldest message first.
    /// - Throws: ``RoomClientError/Code/historyOff`` if the channel stores no messages;
    ///   ``RoomClientError/Code/permissionDenied``; ``RoomClientError/Code/timedOut``.
    public func history(before seq: UInt64? = nil, limit: Int = 100) async throws(RoomClientError) -> HistoryPage<Body>
    {
        try await self.history(seq.map { .before($0) } ?? .newest, limit)
    }

    /// Reads stored messages after a place. To read the next page, pass the upper bound of this page's ``HistoryPage/seqs``.
    ///
    /// - Parameters:
    ///   - seq: read only messages after this place; 0: read from the oldest one.
    ///   - limit: the maximum number of messages, 1 to 1,000. The broker sends at most 256 KiB in one page.
    /// - Returns: a page, the oldest message first.
    /// - Throws: ``RoomClientError/Code/historyOff`` if the channel stores no messages;
    ///   ``RoomClientError/Code/permissionDenied``; ``RoomClientError/Code/timedOut``.
    public func history(after seq: UInt64, limit: Int = 100) async throws(RoomClientError) -> HistoryPage<Body> {
        try await self.history(.after(seq), limit)
    }

    private func history(
        _ anchor: HistoryRequest.Anchor,
        _ limit: Int
    ) async throws(RoomClientError) -> HistoryPage<Body> {
        let request = HistoryRequest(room: self.membership.room, anchor: anchor, limit: limit)
        let (waiter, client) = (Waiter<FetchedHistory>(), self.membership.client.broadcaster)
        self.membership.client.core.post { $0.rooms.history(request, waiter: waiter) }
        let page = try await waiter.wait()
        return HistoryPage(
            messages: page.messages.map { RoomMessage(message: $0, coding: self.coding, client: client) },
            seqs: page.seqs,
            gap: page.gap,
            hasMore: page.hasMore
        )
    }
}

extension Room where Body: Encodable {
    /// Publishes a message to all members of the room, this client included.
    ///
    /// The client sends the message immediately, and sends it again after each reconnection until the broker acknowledges it.
    /// All attempts have the same message id, so the broker recognizes repeats and stores the message once. Each call waits for
    /// its own acknowledgement; to publish faster, publish from several tasks.
    ///
    /// - Parameter body: the message; at most 64 KiB of JSON unless the broker is configured otherwise.
    /// - Returns: the id, the place and the time of the message.
    /// - Throws: ``RoomClientError/Code/permissionDenied``, ``RoomClientError/Code/muted``,
    ///   ``RoomClientError/Code/roomLocked`` or another error if the broker rejects the message;
    ///   ``RoomClientError/Code/timedOut`` after ``RoomClient/Configuration/publishTimeout``, and
    ///   ``RoomClientError/Code/cancelled`` in a cancelled task: in both cases the message may have been stored;
    ///   ``RoomClientError/Code/closed`` after ``leave()``, or the ``endError`` of the room;
    ///   ``RoomClientError/Code/outboxFull``; ``RoomClientError/Code/encodingFailed``.
    @discardableResult
    public func publish(_ body: Body) async throws(RoomClientError) -> PublishReceipt {
        try await self.publish(json: JSON(encoding: body))
    }

    /// Publishes a message that is useful only for a moment, such as the place of a cursor. The broker delivers it to the present
    /// members, does not store it and gives it no `seq`; the client does not send it again.
    ///
    /// - Parameter body: the message.
    /// - Throws: ``RoomClientError/Code/permissionDenied`` or another error if the broker rejects the message;
    ///   ``RoomClientError/Code/notConnected``; ``RoomClientError/Code/connectionLost``;
    ///   ``RoomClientError/Code/closed`` after ``leave()``, or the ``endError`` of the room;
    ///   ``RoomClientError/Code/encodingFailed``.
    public func publishEphemeral(_ body: Body) async throws(RoomClientError) {
        try await self.publishEphemeral(json: JSON(encoding: body))
    }
}

extension RoomEvent {
    private init(_ incoming: IncomingMessage, coding: BodyCoding<Body>, client: ConnectionBroadcaster) {
        let message = RoomMessage(message: incoming, coding: coding, client: client)
        self = incoming.signal.map { .signal($0, message) } ?? .message(message)
    }

    init(_ event: IncomingEvent, coding: BodyCoding<Body>, client: ConnectionBroadcaster) {
        self =
            switch event {
            case .message(let message): RoomEvent(message, coding: coding, client: client)
            case .members(let members): .members(members)
            case .joined(let member): .joined(member)
            case .left(let member): .left(member)
            case .updated(let member): .updated(member)
            case .gap(let gap): .gap(gap)
            case .redacted(let redaction): .redacted(redaction)
            case .cleared(let position, let sender): .cleared(RoomPosition(position), by: sender)
            case .notice(let notice): .notice(notice)
            case .muteChanged(let mute): .muteChanged(mute)
            }
    }
}
