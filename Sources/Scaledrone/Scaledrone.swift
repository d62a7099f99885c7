public import Dispatch
import Foundation
import RoomClient

/// A client of a Roomline broker with the API of Scaledrone's Swift client.
///
/// ```swift
/// let scaledrone = Scaledrone(channelID: "default", url: "tcp://127.0.0.1:10000", data: ["name": "Luke"])
/// scaledrone.delegate = self
/// scaledrone.connect()
/// ```
///
/// The client reconnects automatically, and continues in each room where it stopped. It is another member then, with another
/// ``clientID``: the members see the former one leave and the new one join.
///
/// **Threads.** Every method may be called from any thread. The delegates are weak references. All of them are called in
/// order on one queue: the one given to ``init(channelID:url:data:delegateQueue:)``, or the main queue on Apple's systems and a
/// private queue on others.
///
/// **Errors** are `NSError`s of the domain `scaledrone.com`. Their `userInfo` has the text under `"error"`, as in Scaledrone's
/// client; the stable error code under `"code"`; the name of the room under `"room"`, if the error concerns a room; and the
/// `RoomClientError` under `NSUnderlyingErrorKey`.
public final class Scaledrone: Sendable {
    private struct State {
        weak var delegate: (any ScaledroneDelegate)?
        weak var authenticateDelegate: (any ScaledroneAuthenticateDelegate)?
        var clientID = ""
        var machine = SessionMachine<DroneSession, DroneSession.Request>()
        /// What the delegates were found to lack.
        var warnings: Set<String> = []
    }

    /// The default address of a broker on the same machine.
    private static let defaultURL = "tcp://127.0.0.1:10000"

    private let channelID: String
    private let url: String
    private let data: Result<JSON?, ClientError>
    private let queue: DispatchQueue
    private let state = Guarded(State())

    /// Creates a client for one channel. It does nothing until ``connect()``.
    ///
    /// - Parameters:
    ///   - channelID: the id of the channel; a broker without configuration has one channel, `default`.
    ///   - url: the broker: `ws://host:port/v3/websocket` or `wss://host/v3/websocket`, as with Scaledrone's client, or
    ///     `tcp://host:port` or `tls://host:port`. The default, and `nil`, is a broker on this machine.
    ///   - data: the member data that the other members see: every value that `JSONSerialization` can write, at most 8 KiB.
    ///   - delegateQueue: the queue on which the delegates are called. `nil`: the main queue on Apple's systems, a private queue on
    ///     others, where many programs do not run the main queue.
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
        // A session that was told to disconnect sends its last messages, and ends by itself.
        self.state.withLock { $0.machine.current }?.cancel()
    }

    /// A serial queue, even if the app has given a concurrent one.
    private static func serialQueue(_ queue: DispatchQueue?) -> DispatchQueue {
        #if canImport(Darwin)
        let queue = queue ?? .main
        #endif
        return queue === DispatchQueue.main ? .main : DispatchQueue(label: "Scaledrone.delegates", target: queue)
    }

    // MARK: Properties for the app

    /// The id that the broker gave this client; empty before the first connection. It changes when the client reconnects.
    public internal(set) var clientID: String {
        get { self.state.withLock { $0.clientID } }
        set { self.state.withLock { $0.clientID = newValue } }
    }

    /// The delegate for the connection; a weak reference.
    public var delegate: (any ScaledroneDelegate)? {
        get { self.state.withLock { $0.delegate } }
        set { self.state.withLock { $0.delegate = newValue } }
    }

    /// The delegate for the result of ``authenticate(jwt:)``; a weak reference.
    public var authenticateDelegate: (any ScaledroneAuthenticateDelegate)? {
        get { self.state.withLock { $0.authenticateDelegate } }
        set { self.state.withLock { $0.authenticateDelegate = newValue } }
    }

    /// A delegate has been called that has the method with another signature, or not at all. With Scaledrone's client it would not
    /// compile; here nobody would notice. Says so once.
    func lacks(_ method: String, _ delegate: AnyObject) {
        let warning = "\(type(of: delegate)) has no method \(method) with the parameters that its delegate protocol has"
        guard self.state.withLock({ $0.warnings.insert(warning).inserted }) else { return }
        FileHandle.standardError.write(Data("Scaledrone: warning: \(warning): it is not called\n".utf8))
    }

    /// Those that were given, in no order.
    var warnings: Set<String> { self.state.withLock { $0.warnings } }

    // MARK: The connection

    /// Connects, and reconnects automatically until ``disconnect()``. Does nothing if the client is connected or connecting.
    ///
    /// If the broker cannot be reached at first, ``delegate`` gets the error once, and the client keeps trying.
    public func connect() {
        self.state.withLock { state in
            let latest = state.machine.latest
            state.machine.connected { number, waiting in
                let reporter = Reporter(session: number, queue: self.queue) { [weak self] in self }
                let (channelID, url, data) = (self.channelID, self.url, self.data)
                return DroneSession(after: latest, waiting: waiting, reporter: reporter) { () throws(ClientError) in
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
        let member = try data.get()
        var configuration = RoomClient.Configuration()
        // A call of `publish` here does not wait.
        configuration.outbox.whenFull = .fail
        // A session that can be resumed outlives an app that is killed: it would stay a member, and be there twice when
        // the app is back. With Scaledrone it is gone at once, and apps are written for that.
        configuration.isResumable = false
        do throws(RoomClientError) {
            return try RoomClient(url, channel: channel, member: member, configuration: configuration)
        } catch {
            throw ClientError(error)
        }
    }

    /// Leaves the rooms and ends the connection. The client waits up to two seconds for the acknowledgement of earlier messages.
    /// After another ``connect()``, the app has to subscribe to its rooms again.
    public func disconnect() {
        self.state.withLock { $0.machine.disconnected() }?.finish()
    }

    /// Sends a token to the broker, now and after each reconnection. The ``authenticateDelegate`` gets the result.
    ///
    /// - Parameter jwt: a JSON Web Token (RFC 7519).
    public func authenticate(jwt: String) {
        guard let clientError = self.ask(.authenticate(jwt)) else { return }
        self.tell { scaledrone in
            let delegate = scaledrone.authenticateDelegate
            delegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: clientError.nsError as (any Error)?)
        }
    }

    // MARK: Rooms and messages

    /// Subscribes to a room. The delegate of the room gets the result, and then the events of the room.
    ///
    /// If the client is not connected yet, the subscription waits for the connection. Subscribing to a room again ends the earlier
    /// subscription, and its delegate is not called any more.
    ///
    /// - Parameters:
    ///   - roomName: 1 to 200 bytes without control characters. Names that begin with `observable-` have presence.
    ///   - messageHistory: the number of newest messages to receive first, oldest first; at most 100.
    /// - Returns: the room; set its delegate immediately. If this is not called on the delegates' queue, the broker can answer before
    ///   the room has its delegate; then the app does not hear the answer.
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

    /// The limit of the protocol.
    private static let longestHistory = 100

    /// Publishes a message to a room. This client need not have subscribed to the room.
    ///
    /// The messages of one thread keep their order. While the connection is lost, messages wait for the reconnection. If a message
    /// cannot be published, ``delegate`` gets the error.
    ///
    /// - Parameters:
    ///   - message: every value that `JSONSerialization` can write; at most 64 KiB of JSON.
    ///   - room: the name of the room.
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
    /// - Returns: the error if the request is not possible now.
    private func ask(_ request: DroneSession.Request) -> ClientError? {
        // A message must not wait for the next connect(), which may come much later.
        let canWait = if case .publish = request { false } else { true }
        switch self.state.withLock({ $0.machine.asked(request, canWait: canWait) }) {
        case .pass(let session): return session.ask(request) ? nil : .notConnected
        case .wait: return nil
        case .refuse(let clientError): return clientError
        }
    }

    /// Whether the delegates still get the events of this session.
    func isRunning(_ session: Int) -> Bool {
        self.state.withLock { $0.machine.isRunning(session) }
    }

    /// The session has ended because of an error.
    ///
    /// - Returns: whether the app has to be informed.
    func gaveUp(_ session: Int, because clientError: ClientError) -> Bool {
        self.state.withLock { $0.machine.gaveUp(session, because: clientError) }
    }

    private func tell(_ call: @escaping @Sendable (Scaledrone) -> Void) {
        self.queue.async { [weak self] in
            if let self { call(self) }
        }
    }
}
