import NIOCore
import RoomModel
import RoomWire

/// A connection to a Roomline broker that mends itself.
///
/// The client connects by itself when something is asked of it, and stays connected from then on: when the network goes away
/// or the broker restarts it comes back with growing pauses, resumes its session, joins its rooms again and goes on in each of
/// them exactly where it stopped. An app sees every stored message once and in order, or a ``RoomEvent/gap(_:)`` that says what
/// is missing; every publish ends in a receipt or an error.
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
/// The client is closed by ``close()``, or when the last reference to it and to its rooms is gone.
public final class RoomClient: Sendable {
    /// Gets an access token for the connection with this `client_id`. Called for each new connection, and again when a token
    /// has expired: in a channel with `token_expiry` `live` in the middle of a connection, which goes on with the new one.
    /// What it throws counts as a failed attempt to connect; it is cancelled when its connection ends first.
    public typealias TokenProvider = @Sendable (_ clientID: String) async throws -> String

    let core: CoreRef
    let board: ConnectionBoard
    private let eventBoard: EventBoard
    private let configuration: Configuration

    /// The seam for tests: any connector, any event loop.
    init(identity: ClientCore.Identity, configuration: Configuration, connector: any Connector, loop: any EventLoop) {
        let (board, events, tickets) = (ConnectionBoard(), EventBoard(), TicketCounter())
        let core = ClientCore(
            identity: identity,
            configuration: configuration,
            board: board,
            events: events,
            loop: loop,
            connector: connector,
            tickets: tickets
        )
        self.core = CoreRef(core, loop: loop, tickets: tickets)
        self.board = board
        self.eventBoard = events
        self.configuration = configuration
    }

    deinit {
        self.core.post { $0.close(nil) }
    }

    // MARK: The connection

    /// The id that the broker gave this client; `nil` before the first connection. Another one where a session could not be
    /// resumed.
    public var clientID: String? { self.board.clientID }

    /// How the client stands with its broker, as it changes.
    public var connectionState: ConnectionStates { ConnectionStates(self.board) }

    /// What concerns this client in the whole channel, from now on: each use is a stream of its own, which ends with the client.
    /// A reader that falls far behind misses the oldest ones.
    public var events: AsyncStream<ClientEvent> { self.eventBoard.events() }

    /// Connects, and tells how that went.
    ///
    /// Everything else connects by itself and keeps trying; this is for finding out whether the broker can be reached. While
    /// the client pauses between two attempts, it is the next one that counts. When the attempt fails and nothing else waits for a connection, the client rests until it is asked again.
    ///
    /// - Returns: the `client_id`.
    /// - Throws: why the attempt failed.
    @discardableResult
    public func connect() async throws(RoomClientError) -> String {
        let waiter = Waiter<String>()
        self.core.post { $0.connect(waiter) }
        return try await waiter.wait()
    }

    /// Ends the client: leaves its rooms and closes the connection. What still waits fails with
    /// ``RoomClientError/Code/closed``. Closing twice does no harm.
    public func close() async {
        let waiter = Waiter<[Task<Void, Never>]>()
        self.core.post { $0.close(waiter) }
        // In a cancelled task the client closes all the same, only nobody waits for it.
        for task in (try? await waiter.wait()) ?? [] { await task.value }
    }

    /// Authenticates with this token, now and on all further connections: in place of the token provider, if there was one.
    ///
    /// Without a connection it is shown by the next one, and a broker that refuses it there refuses the connection. In rooms that
    /// the new token does not let this client be in, the feeds end: see ``Room/endError``.
    ///
    /// - Throws: ``RoomClientError/Code/tokenInvalid`` and what else the broker has against it. The connection goes on as
    ///   it was.
    public func authenticate(_ token: String) async throws(RoomClientError) {
        try await self.startAuthenticating(token).value()
    }

    /// Changes what others see of this member, in all of its rooms; members of observable rooms are told at once.
    ///
    /// Without a connection the next one tells it; a broker that refuses it then (it takes 2 KiB) refuses the connection.
    ///
    /// - Throws: ``RoomClientError/Code/encodingFailed``, ``RoomClientError/Code/messageTooLarge``.
    public func update<MemberData: Encodable>(_ memberData: MemberData) async throws(RoomClientError) {
        let json = try JSON(encoding: memberData)
        let waiter = Waiter<Void>()
        self.core.post { $0.update(memberData: json, waiter: waiter) }
        try await waiter.wait()
    }

    // MARK: Rooms

    /// Joins a room whose messages are read as JSON of any kind.
    ///
    /// - Parameters:
    ///   - room: 1 to 200 bytes without control characters. Names that begin with `observable-` have presence.
    ///   - history: how many of the newest messages come first. The broker gives 100 at most, also where more are asked for,
    ///     and no more than the token allows; ``Room/history(before:limit:)`` pages through all that there is.
    ///   - since: where an earlier run of the app stopped, see ``RoomMessage/position``: everything after it comes first.
    ///     Takes the place of `history`.
    /// - Throws: what the broker has against it, ``RoomClientError/Code/alreadyJoined``; not that there is no connection,
    ///   which is waited for.
    public func join(
        _ room: String,
        history: Int = 0,
        since: RoomPosition? = nil
    ) async throws(RoomClientError) -> Room<JSON> {
        try await self.join(room, of: JSON.self, history: history, since: since)
    }

    /// Joins a room whose messages are of one type.
    ///
    /// - Parameters:
    ///   - room: 1 to 200 bytes without control characters. Names that begin with `observable-` have presence.
    ///   - body: the type of the messages. One that does not decode is no error until its ``RoomMessage/body`` is asked for.
    ///   - history: how many of the newest messages come first. The broker gives 100 at most, also where more are asked for,
    ///     and no more than the token allows; ``Room/history(before:limit:)`` pages through all that there is.
    ///   - since: where an earlier run of the app stopped, see ``RoomMessage/position``: everything after it comes first.
    ///     Takes the place of `history`.
    /// - Throws: what the broker has against it, ``RoomClientError/Code/alreadyJoined``; not that there is no connection,
    ///   which is waited for.
    public func join<Body: Decodable & Sendable>(
        _ room: String,
        of body: Body.Type,
        history: Int = 0,
        since: RoomPosition? = nil
    ) async throws(RoomClientError) -> Room<Body> {
        try await self.startJoining(room, of: body, history: history, since: since).value()
    }

    func startJoining<Body: Decodable & Sendable>(
        _ room: String,
        of body: Body.Type,
        history: Int,
        since: RoomPosition?
    ) -> Pending<Room<Body>> {
        let name = RoomName(room)
        let log = SequenceTracker(historyCount: max(0, history), since: since.map { Position($0) })
        let (membershipID, board) = (self.core.tickets.next(), RoomBoard())
        let limit = self.configuration.feedBuffer
        let fetch = { @Sendable [core] (feed: Feed, fetch: FeedBuffer.Fetch) in
            core.post { $0.fetch(fetch, for: feed, in: name, membershipID: membershipID) }
        }
        let messages = Feed(limit: limit, members: { board.members }, onFetch: fetch)
        let events = Feed(limit: limit, members: { board.members }, onFetch: fetch)
        let membership = Membership(
            name,
            membershipID: membershipID,
            client: self,
            board: board,
            messages: messages,
            events: events
        )
        let waiter = Waiter<Void>()
        self.core.post { core in
            let room = JoinedRoom(
                name,
                membershipID: membershipID,
                log: log,
                board: board,
                messages: messages,
                events: events
            )
            room.joining = waiter
            core.join(room)
        }
        return Pending { () throws(RoomClientError) in
            try await waiter.wait()
            return Room(membership, coding: .decodable)
        }
    }

    // MARK: Publishing

    /// Publishes into a room, whether or not this client is in it.
    ///
    /// The message goes out at once and is tried until the broker has acknowledged it, over reconnections, with one id by which
    /// the broker knows a repeat. To publish fast, publish from several tasks: each call waits for its own acknowledgement.
    ///
    /// - Returns: the message's id, place and time.
    /// - Throws: what the broker has against it; ``RoomClientError/Code/timedOut`` after
    ///   ``Configuration/publishTimeout``, where the outcome is unknown; ``RoomClientError/Code/outboxFull``;
    ///   ``RoomClientError/Code/encodingFailed``; ``RoomClientError/Code/cancelled``, where it may have been stored.
    @discardableResult
    public func publish<Body: Encodable>(
        _ body: Body,
        to room: String
    ) async throws(RoomClientError) -> PublishReceipt {
        try await self.publish(JSON(encoding: body), to: RoomName(room))
    }

    func publish(_ json: JSON, to room: RoomName) async throws(RoomClientError) -> PublishReceipt {
        try await self.startPublishing(json, to: room).value()
    }

    func startPublishing(_ json: JSON, to room: RoomName) -> Pending<PublishReceipt> {
        let ticket = self.core.tickets.next()
        var random = SystemRandomNumberGenerator()
        let request = PublishRequest(room: room, message: json.buffer, messageID: UniqueID(random: &random))
        var buffer = ByteBuffer()
        ClientFrameWriter.publish(request, callback: Int64(bitPattern: ticket), into: &buffer)
        let (frame, waiter) = (buffer, Waiter<PublishReceipt>())
        self.core.post { $0.publish(frame, ticket: ticket, waiter: waiter) }
        return Pending { [core] () throws(RoomClientError) in
            try await waiter.wait(onCancel: { core.post { $0.abandonPublish(ticket) } })
        }
    }

    /// Publishes what is worthless a moment later, such as a typing indicator, into a room: delivered to those who are there,
    /// never stored, never repeated.
    ///
    /// - Throws: what the broker has against it; ``RoomClientError/Code/notConnected`` and
    ///   ``RoomClientError/Code/connectionLost``; ``RoomClientError/Code/encodingFailed``.
    public func publishEphemeral<Body: Encodable>(_ body: Body, to room: String) async throws(RoomClientError) {
        let json = try JSON(encoding: body)
        let (name, waiter) = (RoomName(room), Waiter<Void>())
        self.core.post { $0.publishEphemeral(json, to: name, waiter: waiter) }
        try await waiter.wait()
    }
}

extension UniqueID {
    /// A random UUID (RFC 9562 §5.4), by which the broker knows a message that is sent again.
    init(random: inout some RandomNumberGenerator) {
        let (high, low) = (UInt64.random(in: 0 ... .max, using: &random), UInt64.random(in: 0 ... .max, using: &random))
        self.init(high: high & ~0xf000 | 0x4000, low: low >> 2 | 0x8000_0000_0000_0000)
    }
}
