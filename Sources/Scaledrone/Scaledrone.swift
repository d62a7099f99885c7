public import Dispatch
import Foundation
import RoomClient

/// A client with the API of Scaledrone's own client for Swift, for a Roomline broker.
///
/// ```swift
/// let scaledrone = Scaledrone(channelID: "default", url: "tcp://127.0.0.1:10000", data: ["name": "Luke"])
/// scaledrone.delegate = self
/// scaledrone.connect()
/// ```
///
/// It comes back by itself when the connection is lost, and in each room goes on where it stopped; the app does not notice.
///
/// **Threads.** Every method may be called from any thread. The delegates are weak references. All of them are called in
/// order on one queue: the main queue on Apple's systems, a queue of the client's own elsewhere, or the one given to
/// ``init(channelID:url:data:delegateQueue:)``.
///
/// **Errors** are `NSError`s of the domain `scaledrone.com`. Their `userInfo` has the text under `"error"`, as Scaledrone's
/// client has it; the broker's stable word for it under `"code"`; where it is about a room, the name under `"room"`; and the
/// `RoomClientError` under `NSUnderlyingErrorKey`.
public final class Scaledrone: Sendable {
    private struct State {
        weak var delegate: (any ScaledroneDelegate)?
        weak var authenticateDelegate: (any ScaledroneAuthenticateDelegate)?
        var clientID = ""
        var machine = SessionMachine<Session, Session.Request>()
    }

    /// The address of a broker that was started without any settings, on the same machine.
    private static let defaultURL = "tcp://127.0.0.1:10000"

    private let channelID: String
    private let url: String
    private let data: Result<JSON?, ClientError>
    private let queue: DispatchQueue
    private let state = Guarded(State())

    /// A client for one channel; it does nothing until ``connect()``.
    ///
    /// - Parameters:
    ///   - channelID: the channel that the rooms are in; a broker that nobody has configured has one, `default`.
    ///   - url: the broker, `tcp://host:port` or `tls://host:port`. The default, and `nil`, is a broker on this machine.
    ///     Scaledrone's own `wss://api.scaledrone.com/v3/websocket` is no broker of yours and is refused.
    ///   - data: what others see of this member: anything that `JSONSerialization` can write.
    ///   - delegateQueue: where the delegates are called. `nil`: the main queue on Apple's systems, and elsewhere, where often
    ///     nothing runs on that one, a queue of this client's own.
    public init(
        channelID: String,
        url: String? = "tcp://127.0.0.1:10000",
        data: Any?,
        delegateQueue: DispatchQueue? = nil
    ) {
        self.channelID = channelID
        self.url = url ?? Self.defaultURL
        self.data = Result { () throws(ClientError) in
            guard let data else { return nil }
            return try JSON(foundation: data)
        }
        self.queue = Self.serialQueue(delegateQueue)
    }

    deinit {
        // One that was told to disconnect is left to say its last words; it ends by itself.
        self.state.withLock { $0.machine.current }?.cancel()
    }

    /// A queue that calls in order, even on a concurrent one.
    private static func serialQueue(_ queue: DispatchQueue?) -> DispatchQueue {
        #if canImport(Darwin)
        let queue = queue ?? .main
        #endif
        return queue === DispatchQueue.main ? .main : DispatchQueue(label: "Scaledrone.delegates", target: queue)
    }

    // MARK: What the app reads and sets

    /// The id that the broker gave this client; empty until connected. Another one where the client was away for longer than
    /// the broker waits for it, 10 seconds as a rule.
    public internal(set) var clientID: String {
        get { self.state.withLock { $0.clientID } }
        set { self.state.withLock { $0.clientID = newValue } }
    }

    /// Hears how the connection stands; a weak reference.
    public var delegate: (any ScaledroneDelegate)? {
        get { self.state.withLock { $0.delegate } }
        set { self.state.withLock { $0.delegate = newValue } }
    }

    /// Hears what became of ``authenticate(jwt:)``; a weak reference.
    public var authenticateDelegate: (any ScaledroneAuthenticateDelegate)? {
        get { self.state.withLock { $0.authenticateDelegate } }
        set { self.state.withLock { $0.authenticateDelegate = newValue } }
    }

    // MARK: The connection

    /// Connects, and comes back by itself from then on, until ``disconnect()``. Does nothing while that lasts.
    ///
    /// When the broker cannot be reached at first, ``delegate`` receives the error, once, and the client keeps trying.
    public func connect() {
        self.state.withLock { state in
            let latest = state.machine.latest
            state.machine.connected { number, waiting in
                let reporter = Reporter(session: number, queue: self.queue) { [weak self] in self }
                let (channelID, url, data) = (self.channelID, self.url, self.data)
                return Session(after: latest, waiting: waiting, reporter: reporter) { () throws(ClientError) in
                    try Self.client(url, channel: channelID, data: data)
                }
            }
        }
    }

    private static func client(
        _ url: String,
        channel: String,
        data: Result<JSON?, ClientError>
    ) throws(ClientError) -> RoomClient {
        let data = try data.get()
        var configuration = RoomClient.Configuration()
        // Whoever publishes here does not wait.
        configuration.outbox.whenFull = .fail
        do throws(RoomClientError) {
            guard let data else { return try RoomClient(url, channel: channel, configuration: configuration) }
            return try RoomClient(url, channel: channel, member: data, configuration: configuration)
        } catch {
            throw ClientError(error)
        }
    }

    /// Leaves the rooms and ends the connection. What was published before still goes out, where that takes no longer than a
    /// moment. ``connect()`` may be called again; the rooms are to be subscribed to anew then.
    public func disconnect() {
        self.state.withLock { $0.machine.disconnected() }?.finish()
    }

    /// Gives the broker a token, now and whenever the client has to come back; the ``authenticateDelegate`` hears what became
    /// of it.
    public func authenticate(jwt: String) {
        guard let clientError = self.ask(.authenticate(jwt)) else { return }
        self.tell { scaledrone in
            let delegate = scaledrone.authenticateDelegate
            delegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: clientError.nsError as (any Error)?)
        }
    }

    // MARK: Rooms and messages

    /// Subscribes to a room; the room's delegate hears how that went and what happens there.
    ///
    /// Where the client is not connected yet, the subscription waits for that. Subscribing again to a room ends the earlier
    /// subscription: its delegate hears no more.
    ///
    /// - Parameters:
    ///   - roomName: 1 to 200 bytes without control characters. Names that begin with `observable-` have presence.
    ///   - messageHistory: how many of the newest messages come first, the oldest of them before the others; 100 at most.
    public func subscribe(roomName: String, messageHistory: Int = 0) -> ScaledroneRoom {
        let subscription = Subscription(roomName)
        let room = subscription.room(of: self)
        let history = min(max(messageHistory, 0), Self.longestHistory)
        if let clientError = self.ask(.subscribe(subscription, history: history)) {
            self.tell { scaledrone in
                let room = subscription.room(of: scaledrone)
                room.delegate?.scaledroneRoomDidConnect(room: room, error: clientError.nsError as (any Error)?)
            }
        }
        return room
    }

    /// As many as the protocol allows.
    private static let longestHistory = 100

    /// Publishes into a room, whether or not this client has subscribed to it.
    ///
    /// Messages of one thread keep their order. One that is published while the connection is lost goes out when it is back.
    /// When a message cannot be published, ``delegate`` receives the error.
    ///
    /// - Parameters:
    ///   - message: anything that `JSONSerialization` can write.
    ///   - room: the room's name.
    public func publish(message: Any, room: String) {
        do throws(ClientError) {
            let json = try JSON(foundation: message)
            if let clientError = self.ask(.publish(json, room: room)) { throw clientError }
        } catch {
            let clientError = error.about(room)
            self.tell { scaledrone in
                let delegate = scaledrone.delegate
                delegate?.scaledroneDidReceiveError(scaledrone: scaledrone, error: clientError.nsError as (any Error)?)
            }
        }
    }
}

// MARK: The session

extension Scaledrone {
    /// - Returns: why that cannot be asked for now.
    private func ask(_ request: Session.Request) -> ClientError? {
        // A message that waited for the next connect() would go out who knows when.
        let canWait = if case .publish = request { false } else { true }
        switch self.state.withLock({ $0.machine.asked(request, canWait: canWait) }) {
        case .pass(let session): return session.ask(request) ? nil : .notConnected
        case .wait: return nil
        case .refuse(let clientError): return clientError
        }
    }

    /// Whether the app still wants to hear of this session.
    func isRunning(_ session: Int) -> Bool {
        self.state.withLock { $0.machine.isRunning(session) }
    }

    /// The session has ended, and not because the app wanted it to.
    ///
    /// - Returns: whether the app has to be told.
    func gaveUp(_ session: Int, because clientError: ClientError) -> Bool {
        self.state.withLock { $0.machine.gaveUp(session, because: clientError) }
    }

    private func tell(_ call: @escaping @Sendable (Scaledrone) -> Void) {
        self.queue.async { [weak self] in
            if let self { call(self) }
        }
    }
}
