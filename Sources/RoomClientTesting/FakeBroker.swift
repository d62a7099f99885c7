public import Logging
import NIOCore
import NIOEmbedded
public import RoomClient
import RoomModel

/// A broker in memory for the unit tests of an app: no sockets, no process, no waiting.
///
/// The clients that it makes are real clients with all that they do: feeds, history, acknowledgements, reconnecting. Only
/// the network and the broker are replaced.
///
/// ```swift
/// try await FakeBroker.with { broker in
///     let client = try broker.client(member: MemberProfile(name: "Luke"))
///     let room = try await client.join("lobby", of: String.self)
///     let leia = try await broker.member(MemberProfile(name: "Leia"))
///     try await leia.join("lobby")
///     try await leia.publish("hello", to: "lobby")
///     // … what the app has made of it
/// }
/// ```
///
/// Time stands still: it passes only in ``advance(by:)`` and ``goOnline()``, so no test depends on the speed of the machine. When a
/// method of this class returns, the clients have got all frames that follow from it and from earlier calls: `join` may return
/// before the list of the members has come, but after the next call of the broker it is there.
///
/// The broker keeps all messages, shows the members of every room to the clients that ask for it, and accepts every channel and
/// every token unless ``refuse(_:with:message:retryAfter:times:)`` says otherwise. It has no limits and no moderation, except
/// ``remove(_:from:with:reason:)`` and ``disconnectAll(with:reason:retryAfter:)``.
public final class FakeBroker: Sendable {
    private let loop: NIOAsyncTestingEventLoop
    private let core: NIOLoopBoundBox<FakeBrokerCore>

    private init(onFrame: @escaping FrameTap) {
        let loop = NIOAsyncTestingEventLoop()
        self.loop = loop
        self.core = NIOLoopBoundBox.makeBoxSendingValue(FakeBrokerCore(loop: loop, onFrame: onFrame), eventLoop: loop)
    }

    /// Runs `body` with a new broker, and ends the connections of its clients afterwards.
    ///
    /// - Parameter body: receives the broker.
    /// - Returns: the value that `body` returns.
    nonisolated(nonsending)
        public static func with<Value>(_ body: (FakeBroker) async throws -> Value) async rethrows -> Value
    {
        try await Self.with(onFrame: { _, _ in }, body)
    }

    /// - Parameter onFrame: gets all frames.
    nonisolated(nonsending)
        static func with<Value>(
            onFrame: @escaping FrameTap,
            _ body: (FakeBroker) async throws -> Value
        ) async rethrows -> Value
    {
        let broker = FakeBroker(onFrame: onFrame)
        do {
            let value = try await body(broker)
            await broker.shutDown()
            return value
        } catch {
            await broker.shutDown()
            throw error
        }
    }

    typealias FrameTap = @Sendable (_ isOfClient: Bool, _ frame: String) -> Void

    private func shutDown() async {
        await self.run { $0.goOffline() }
        await self.loop.shutdownGracefully()
    }

    // MARK: Clients and other members

    /// Creates a client of this broker, which connects when it makes the first request. The arguments are those of `RoomClient`.
    ///
    /// - Throws: `RoomClientError` if the member data cannot be written as JSON.
    public func client(
        channel: String = "test",
        member: (any Encodable)? = nil,
        token: TokenSource = .none,
        configuration: RoomClient.Configuration = RoomClient.Configuration(),
        logger: Logger? = nil
    ) throws(RoomClientError) -> RoomClient {
        try RoomClient(
            "tcp://fake.example:10000",
            channel: channel,
            member: member,
            token: token,
            configuration: configuration,
            logger: logger,
            loop: self.loop,
            open: { [core] handler in core.value.open(handler) }
        )
    }

    /// Creates somebody else, who joins and publishes as the test says.
    ///
    /// - Parameter data: the member data, such as a `MemberProfile`.
    /// - Throws: `RoomClientError` if the member data cannot be written as JSON.
    public func member(_ data: (any Encodable)? = nil) async throws(RoomClientError) -> FakeMember {
        var json: JSON?
        if let data { json = try JSON(encoding: data) }
        let memberData = json?.buffer
        return FakeMember(id: await self.run { $0.addMember(memberData) }, broker: self)
    }

    // MARK: The broker's state

    /// The stored messages of a room, the oldest first.
    public func messages(in room: String) async -> [JSON] {
        await self.run { $0.rooms[RoomName(room)]?.entries.map { JSON(unchecked: $0.message) } ?? [] }
    }

    /// The ephemeral messages that clients have published in a room, the oldest first: the signals of `Room.typing(_:)` and
    /// `Room.markRead(through:)`, too.
    public func ephemeralMessages(in room: String) async -> [JSON] {
        await self.run { $0.rooms[RoomName(room)]?.ephemerals.map { JSON(unchecked: $0) } ?? [] }
    }

    /// The `client_id`s of the members of a room, in the order in which they have joined.
    public func members(of room: String) async -> [String] {
        await self.run { $0.rooms[RoomName(room)]?.members.map(\.text) ?? [] }
    }

    /// Deletes the stored messages of a room. A client that reconnects and has missed some of them gets a gap.
    public func forgetMessages(in room: String) async {
        await self.run { $0.rooms[RoomName(room)]?.forget() }
    }

    // MARK: The network

    /// Ends all connections, and refuses new ones until ``goOnline()``. The sessions are kept: other members do not see the clients
    /// leave.
    public func goOffline() async {
        await self.run { $0.goOffline() }
    }

    /// Accepts connections again, and lets the pauses of the clients pass: those that want a connection have one afterwards.
    public func goOnline() async {
        await self.run { $0.isOnline = true }
        await self.advance(by: .seconds(20))
    }

    /// Ends the sessions of the clients that are not connected, as after the grace period: their members leave, and the next
    /// connection gets another `client_id`.
    public func forgetSessions() async {
        await self.run { $0.forgetSessions() }
    }

    /// Lets time pass: for pauses, time-outs and heartbeats of the clients.
    public func advance(by time: Duration) async {
        await self.loop.advanceTime(by: TimeAmount(time))
        await self.loop.run()
    }

    // MARK: Refusals

    /// A kind of request that the broker can refuse.
    public enum Request: Hashable, Sendable {
        /// Connecting.
        case handshake
        /// A token of a token provider, or of `authenticate(_:)`.
        case authenticate
        /// Joining a room.
        case join
        /// Publishing, ephemeral messages included.
        case publish
        /// Reading the history.
        case history
        /// New member data.
        case update
    }

    /// Refuses requests from now on.
    ///
    /// - Parameters:
    ///   - request: the kind of requests.
    ///   - code: a code of the broker, such as `.permissionDenied` or `.muted`. The client repeats requests after some codes, such
    ///     as `.rateLimited`, when time passes.
    ///   - message: the text of the error.
    ///   - retryAfter: the pause that the broker asks for.
    ///   - times: the number of requests; `nil`: all, until ``accept(_:)``.
    public func refuse(
        _ request: Request,
        with code: RoomClientError.Code,
        message: String = "refused by the test",
        retryAfter: Duration? = nil,
        times: Int? = nil
    ) async {
        let refusal = FakeBrokerCore.Refusal(Self.code(code), message, retryAfter: retryAfter, times: times ?? .max)
        await self.run { $0.refusals[request] = refusal }
    }

    /// Whether the broker refuses the next request of this kind.
    public func isRefused(_ request: Request) async -> Bool {
        await self.run { $0.refusals[request] != nil }
    }

    /// Accepts these requests again.
    public func accept(_ request: Request) async {
        await self.run { $0.refusals[request] = nil }
    }

    /// Takes a client out of a room, as a moderator does: the feeds of the room end with this code.
    public func remove(
        _ client: RoomClient,
        from room: String,
        with code: RoomClientError.Code = .kicked,
        reason: String = "removed by the test"
    ) async {
        let (code, id) = (Self.code(code), ClientID(client.clientID ?? ""))
        await self.run { $0.remove(id, from: RoomName(room), code, reason) }
    }

    /// Sends all clients a goodbye. After some codes, such as `.banned`, they are closed; after others they reconnect when time
    /// passes.
    public func disconnectAll(
        with code: RoomClientError.Code,
        reason: String = "disconnected by the test",
        retryAfter: Duration? = nil
    ) async {
        let code = Self.code(code)
        await self.run { $0.disconnectAll(code, reason, retryAfter: retryAfter) }
    }

    private static func code(_ code: RoomClientError.Code) -> RoomModel.Code {
        RoomModel.Code(rawValue: code.rawValue) ?? .internal
    }

    // MARK: The event loop

    /// Runs `work` on the event loop, and then all that follows from it.
    @discardableResult
    func run<Value: Sendable>(_ work: @escaping @Sendable (FakeBrokerCore) -> Value) async -> Value {
        let value = await withCheckedContinuation { continuation in
            self.loop.execute { [core] in continuation.resume(returning: work(core.value)) }
        }
        await self.loop.run()
        return value
    }
}
