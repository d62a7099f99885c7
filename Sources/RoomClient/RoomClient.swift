import NIOCore
import RoomModel
import RoomWire

/// A client of a Roomline broker that reconnects automatically.
///
/// The client connects when the app makes the first request, and then stays connected. When the network fails or the broker
/// restarts, the client tries again after growing pauses, resumes its session, joins its rooms again and continues in each room
/// exactly where it stopped. An app receives every stored message once and in order, or a ``RoomEvent/gap(_:)`` that names the
/// missing messages. Every publish ends in a ``PublishReceipt`` or an error.
///
/// ```swift
/// let client = try RoomClient("tcp://127.0.0.1:10000", channel: "default", member: MemberProfile(name: "Luke"))
/// let room = try await client.join("lobby", of: String.self)
/// try await room.publish("hello")
/// for await message in room.messages {
///     print(message.member?.profile?.name ?? "somebody", message.text ?? "")
/// }
/// ```
///
/// ``close()`` closes the client; it also closes when the app holds no reference to it and to its rooms any more.
public final class RoomClient: Sendable {
    /// Returns an access token for the connection with this `client_id`.
    ///
    /// The client calls it for each new connection, and again when a token has expired. In a channel with `token_expiry` `live`
    /// a token can expire while the connection is open; the connection then continues with the new token. An error that it
    /// throws counts as a failed attempt to connect. Its task is cancelled if the connection ends first.
    public typealias TokenProvider = @Sendable (_ clientID: String) async throws -> String

    let core: CoreRef
    let broadcaster: ConnectionBroadcaster
    private let eventBoard: EventBroadcaster
    private let configuration: Configuration

    /// For tests: with any connector and any event loop.
    init(
        identity: ClientSession.Identity,
        configuration: Configuration,
        connector: any Connector,
        loop: any EventLoop,
        network: (any NetworkWatch)? = nil,
        log: ClientLog
    ) {
        let (broadcaster, events, tickets) = (ConnectionBroadcaster(), EventBroadcaster(), TicketCounter())
        let core = ClientCore(
            identity: identity,
            configuration: configuration,
            broadcaster: broadcaster,
            events: events,
            loop: loop,
            connector: connector,
            tickets: tickets,
            network: network,
            log: log
        )
        let reference = CoreRef(core, loop: loop, tickets: tickets)
        network?.start { reference.post { $0.networkChanged() } }
        self.core = reference
        self.broadcaster = broadcaster
        self.eventBoard = events
        self.configuration = configuration
    }

    deinit {
        self.core.post { $0.close(nil) }
    }

    // MARK: The connection

    /// The id that the broker gave this client; `nil` before the first connection. It changes when the broker could not resume
    /// the session.
    public var clientID: String? { self.broadcaster.clientID }

    /// The connection state: the present one first, then every change.
    public var connectionState: ConnectionStates { ConnectionStates(self.broadcaster) }

    /// The events that concern the whole channel and not one room, from now on. Each access returns a new stream, which ends when
    /// the client is closed. A reader that is more than 64 events behind misses the oldest ones.
    public var events: AsyncStream<ClientEvent> { self.eventBoard.events() }

    /// Connects, and waits for the result of the attempt.
    ///
    /// All other methods connect automatically and keep trying. Call this one to find out whether the broker can be reached.
    /// During the pause between two attempts it waits for the result of the next one. If the attempt fails and nothing else
    /// waits for a connection, the client does not try again until the next request.
    ///
    /// - Returns: the `client_id`.
    /// - Throws: the error of the failed attempt, such as ``RoomClientError/Code/connectionFailed``,
    ///   ``RoomClientError/Code/timedOut`` or ``RoomClientError/Code/tokenInvalid``.
    @discardableResult
    public func connect() async throws(RoomClientError) -> String {
        let waiter = Waiter<String>()
        self.core.post { $0.connect(waiter) }
        return try await waiter.wait()
    }

    /// Tries to connect now, for example when the app comes to the foreground or the device has a network again.
    ///
    /// - During the pause between two attempts the client tries immediately, and the pauses begin with the shortest one again. If
    ///   the broker has asked for a pause, the client waits until that is over.
    /// - If the client is connected, it asks the broker for a sign of life, because a device that slept does not notice that its
    ///   connection is dead. If the broker does not answer within 3 seconds (or ``Configuration/heartbeat`` if that is shorter),
    ///   the client reconnects.
    /// - If nothing has needed a connection so far, the client makes one attempt.
    /// - While an attempt is under way, and after the client is closed, nothing happens.
    ///
    /// The call does not wait: ``connectionState`` has the result.
    public func reconnect() {
        self.core.post { $0.reconnect() }
    }

    /// Closes the client: leaves its rooms and closes the connection. Calls that still wait throw
    /// ``RoomClientError/Code/closed``. Closing a closed client does nothing.
    public func close() async {
        let waiter = Waiter<[Task<Void, Never>]>()
        self.core.post { $0.close(waiter) }
        // In a cancelled task the client closes too; only this call does not wait for it.
        for task in (try? await waiter.wait()) ?? [] { await task.value }
    }

    /// Authenticates with this token, now and on all later connections. It replaces the token provider, if there was one.
    ///
    /// If the client is not connected, the next connection sends the token; if the broker rejects it there, the client is
    /// closed. If the new token does not allow a room, the feeds of the room end: see ``Room/endError``.
    ///
    /// - Parameter token: a JSON Web Token (RFC 7519), as `docs/tokens.md` describes it.
    /// - Throws: ``RoomClientError/Code/tokenInvalid``, ``RoomClientError/Code/tokenExpired`` or another error if the broker
    ///   rejects the token; the connection then continues with the old one.
    public func authenticate(_ token: String) async throws(RoomClientError) {
        try await self.startAuthenticating(token).value()
    }

    /// Changes the member data of this client, in all of its rooms. Members that are shown who is in a room are informed
    /// immediately.
    ///
    /// If the client is not connected, the next handshake sends the member data; if the broker rejects it there, the client is
    /// closed.
    ///
    /// - Parameter memberData: the data that the other members see, such as a ``MemberProfile``; at most 8 KiB of JSON unless
    ///   the broker is configured otherwise.
    /// - Throws: ``RoomClientError/Code/encodingFailed`` if it cannot be written as JSON;
    ///   ``RoomClientError/Code/messageTooLarge`` if the broker rejects its size.
    public func update<MemberData: Encodable>(_ memberData: MemberData) async throws(RoomClientError) {
        let json = try JSON(encoding: memberData)
        let waiter = Waiter<Void>()
        self.core.post { $0.session.update(memberData: json, waiter: waiter) }
        try await waiter.wait()
    }

    // MARK: Rooms

    /// Joins a room whose messages can be any JSON.
    ///
    /// - Parameters:
    ///   - room: 1 to 200 bytes without control characters.
    ///   - history: the number of newest messages that the feeds begin with. The broker sends at most 100, also if this is
    ///     more, and no more than the token allows; ``Room/history(before:limit:)`` reads the older ones.
    ///   - since: the position at which an earlier run of the app stopped, see ``RoomMessage/position``. The feeds begin with
    ///     all messages after it, and `history` is ignored.
    ///   - presence: whether to be shown who is in the room: see ``Room/members``, and ``Room/showsMembers`` for what the broker says
    ///     to it. Rooms whose name begins with `observable-` show it also to those who do not ask.
    /// - Throws: ``RoomClientError/Code/alreadyJoined`` if this client is in the room; ``RoomClientError/Code/permissionDenied``,
    ///   ``RoomClientError/Code/tooManyMembers`` or another error if the broker rejects the request.
    public func join(
        _ room: String,
        history: Int = 0,
        since: RoomPosition? = nil,
        presence: Bool = true
    ) async throws(RoomClientError) -> Room<JSON> {
        try await self.join(room, of: JSON.self, history: history, since: since, presence: presence)
    }

    /// Joins a room whose messages have one type.
    ///
    /// If there is no connection, the call waits for one.
    ///
    /// - Parameters:
    ///   - room: 1 to 200 bytes without control characters.
    ///   - body: the type of the messages. A message that cannot be decoded is delivered too: its ``RoomMessage/body`` throws.
    ///   - history: the number of newest messages that the feeds begin with. The broker sends at most 100, also if this is
    ///     more, and no more than the token allows; ``Room/history(before:limit:)`` reads the older ones.
    ///   - since: the position at which an earlier run of the app stopped, see ``RoomMessage/position``. The feeds begin with
    ///     all messages after it, and `history` is ignored.
    ///   - presence: whether to be shown who is in the room: see ``Room/members``, and ``Room/showsMembers`` for what the broker says
    ///     to it. Rooms whose name begins with `observable-` show it also to those who do not ask.
    /// - Throws: ``RoomClientError/Code/alreadyJoined`` if this client is in the room; ``RoomClientError/Code/permissionDenied``,
    ///   ``RoomClientError/Code/tooManyMembers`` or another error if the broker rejects the request.
    public func join<Body: Decodable & Sendable>(
        _ room: String,
        of body: Body.Type,
        history: Int = 0,
        since: RoomPosition? = nil,
        presence: Bool = true
    ) async throws(RoomClientError) -> Room<Body> {
        try await self.startJoining(room, of: body, history: history, since: since, presence: presence).value()
    }

    func startJoining<Body: Decodable & Sendable>(
        _ room: String,
        of body: Body.Type,
        history: Int,
        since: RoomPosition?,
        presence: Bool
    ) -> Pending<Room<Body>> {
        let name = RoomName(room)
        let log = SequenceTracker(historyCount: max(0, history), since: since.map { Position($0) })
        let (membershipID, state) = (self.core.tickets.next(), SharedRoomState())
        let limit = self.configuration.feedBuffer
        let fetch = { @Sendable [core] (feed: Feed, fetch: FeedBuffer.Fetch) in
            core.post { $0.rooms.fetch(fetch, for: feed, in: name, membershipID: membershipID) }
        }
        let messages = Feed(limit: limit, members: { state.members }, onFetch: fetch)
        let events = Feed(limit: limit, members: { state.members }, onFetch: fetch)
        let membership = Membership(
            name,
            id: membershipID,
            client: self,
            state: state,
            messages: messages,
            events: events
        )
        let waiter = Waiter<Void>()
        self.core.post { core in
            let room = JoinedRoom(
                name,
                membershipID: membershipID,
                asksPresence: presence,
                log: log,
                state: state,
                messages: messages,
                events: events
            )
            room.joining = waiter
            core.rooms.join(room)
        }
        return Pending { () throws(RoomClientError) in
            try await waiter.wait()
            return Room(membership, coding: .decodable)
        }
    }

    // MARK: Publishing

    /// Publishes a message to a room. This client need not be in the room.
    ///
    /// The client sends the message immediately, and sends it again after each reconnection until the broker acknowledges it.
    /// All attempts have the same message id, so the broker recognizes repeats and stores the message once. Each call waits for
    /// its own acknowledgement; to publish faster, publish from several tasks.
    ///
    /// - Parameters:
    ///   - body: the message; at most 64 KiB of JSON unless the broker is configured otherwise.
    ///   - room: the name of the room.
    /// - Returns: the id, the place and the time of the message.
    /// - Throws: ``RoomClientError/Code/permissionDenied``, ``RoomClientError/Code/muted`` or another error if the broker rejects
    ///   the message; ``RoomClientError/Code/timedOut`` after ``Configuration/publishTimeout``, and
    ///   ``RoomClientError/Code/cancelled`` in a cancelled task: in both cases the message may have been stored;
    ///   ``RoomClientError/Code/outboxFull``; ``RoomClientError/Code/encodingFailed``.
    @discardableResult
    public func publish<Body: Encodable>(
        _ body: Body,
        to room: String
    ) async throws(RoomClientError) -> PublishReceipt {
        try await self.startPublishing(JSON(encoding: body), to: RoomName(room)).value()
    }

    /// - Parameter membership: publishes as long as it lasts; `nil`: this client need not be in the room.
    func startPublishing(
        _ json: JSON,
        to room: RoomName,
        messageID: UniqueID? = nil,
        as membership: MembershipRef? = nil
    ) -> Pending<PublishReceipt> {
        let ticket = self.core.tickets.next()
        var random = SystemRandomNumberGenerator()
        let request = PublishRequest(
            room: room,
            message: json.buffer,
            messageID: messageID ?? UniqueID(random: &random)
        )
        var buffer = ByteBuffer()
        ClientFrameWriter.publish(request, callback: Int64(bitPattern: ticket), into: &buffer)
        let (frame, waiter) = (buffer, Waiter<PublishReceipt>())
        self.core.post { core in
            if let error = membership.flatMap({ core.rooms.end(of: $0) }) { return waiter.answer(.failure(error)) }
            core.rooms[room]?.signals.published()
            core.publishing.publish(frame, to: room, ticket: ticket, waiter: waiter)
        }
        return Pending { [core] () throws(RoomClientError) in
            try await waiter.wait(onCancel: { core.post { $0.publishing.abandon(ticket) } })
        }
    }

    /// Publishes a message that is useful only for a moment, such as the place of a cursor. The broker delivers it to the present
    /// members and does not store it; the client does not send it again.
    ///
    /// - Parameters:
    ///   - body: the message.
    ///   - room: the name of the room.
    /// - Throws: ``RoomClientError/Code/permissionDenied`` or another error if the broker rejects the message;
    ///   ``RoomClientError/Code/notConnected``; ``RoomClientError/Code/connectionLost``;
    ///   ``RoomClientError/Code/encodingFailed``.
    public func publishEphemeral<Body: Encodable>(_ body: Body, to room: String) async throws(RoomClientError) {
        try await self.publishEphemeral(JSON(encoding: body), to: RoomName(room), as: nil)
    }

    func publishEphemeral(
        _ json: JSON,
        to room: RoomName,
        as membership: MembershipRef?
    ) async throws(RoomClientError) {
        let waiter = Waiter<Void>()
        self.core.post { core in
            if let error = membership.flatMap({ core.rooms.end(of: $0) }) { return waiter.answer(.failure(error)) }
            core.publishing.publishEphemeral(json, to: room, waiter: waiter)
        }
        try await waiter.wait()
    }
}

extension UniqueID {
    /// A random UUID (RFC 9562 §5.4), by which the broker recognizes a message that is sent again.
    package init(random: inout some RandomNumberGenerator) {
        let (high, low) = (UInt64.random(in: 0 ... .max, using: &random), UInt64.random(in: 0 ... .max, using: &random))
        self.init(high: high & ~0xf000 | 0x4000, low: low >> 2 | 0x8000_0000_0000_0000)
    }
}
