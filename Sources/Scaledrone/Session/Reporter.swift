import Dispatch
import Foundation

/// Calls the delegates for one session: in order, on the queue that the app has chosen, as long as the app holds its
/// ``Scaledrone``. After the app has disconnected, the delegates get only errors and the end.
final class Reporter: Sendable {
    private enum Progress {
        case new
        /// The broker could not be reached yet, and the app is informed.
        case troubled
        case connected
        /// The session has ended because of an error, and the app is informed.
        case gaveUp
    }

    /// Tells this session from the others of the same ``Scaledrone``.
    private let session: Int
    private let queue: DispatchQueue
    private let scaledrone: @Sendable () -> Scaledrone?
    private let progress = Guarded(Progress.new)

    init(session: Int, queue: DispatchQueue, scaledrone: @escaping @Sendable () -> Scaledrone?) {
        self.session = session
        self.queue = queue
        self.scaledrone = scaledrone
    }

    /// The delegate is called for the first connection only, because apps subscribe in that call.
    func connected(as clientID: String) {
        self.progress.withLock { self.connected(as: clientID, &$0) }
    }

    /// A room has been joined, so there is a connection; this call may come before `connected(as:)`.
    func joined(as clientID: String) {
        self.progress.withLock { progress in
            if progress == .new || progress == .troubled { self.connected(as: clientID, &progress) }
        }
    }

    /// With the lock held, so that the order of the calls is kept.
    private func connected(as clientID: String, _ progress: inout Progress) {
        let isFirst = progress != .connected
        progress = .connected
        self.tellCurrent { scaledrone in
            scaledrone.clientID = clientID
            guard isFirst else { return }
            scaledrone.delegate?.scaledroneDidConnect(scaledrone: scaledrone, error: nil as (any Error)?)
        }
    }

    /// There is no connection, and the next attempt follows. The app is informed only before the first connection.
    func waits(because clientError: ClientError) {
        let isNew = self.progress.withLock { progress in
            guard progress == .new else { return false }
            progress = .troubled
            return true
        }
        if isNew { self.failed(clientError) }
    }

    func authenticated(_ clientError: ClientError?) {
        self.tell { scaledrone in
            let delegate = scaledrone.authenticateDelegate
            delegate?.scaledroneDidAuthenticate(scaledrone: scaledrone, error: clientError?.nsError as (any Error)?)
        }
    }

    func failed(_ clientError: ClientError) {
        self.tell { scaledrone in
            scaledrone.delegate?.scaledroneDidReceiveError(
                scaledrone: scaledrone,
                error: clientError.nsError as (any Error)?
            )
        }
    }

    /// The client does not reconnect; several tasks may report it.
    func gaveUp(because clientError: ClientError) {
        self.progress.withLock { progress in
            guard progress != .gaveUp else { return }
            let hasConnected = progress == .connected
            progress = .gaveUp
            guard self.scaledrone()?.gaveUp(self.session, because: clientError) == true else { return }
            if hasConnected { return self.failed(clientError) }
            self.tell { scaledrone in
                let error = clientError.nsError as (any Error)?
                scaledrone.delegate?.scaledroneDidConnect(scaledrone: scaledrone, error: error)
            }
        }
    }

    /// The last call.
    ///
    /// - Parameter clientError: the error after which the client does not reconnect; `nil` if the app has disconnected.
    func ended(_ clientError: ClientError?) {
        if let clientError { self.gaveUp(because: clientError) }
        self.tell { scaledrone in
            let error = clientError?.nsError as (any Error)?
            scaledrone.delegate?.scaledroneDidDisconnect(scaledrone: scaledrone, error: error)
        }
    }

    /// A subscribe has failed because the client is closed.
    func gaveUp(on subscription: Subscription, because clientError: ClientError) {
        self.gaveUp(because: clientError)
        self.tell { scaledrone in
            let room = subscription.room(of: scaledrone)
            room.delegate?.scaledroneRoomDidConnect(room: room, error: clientError.nsError as (any Error)?)
        }
    }

    func tell(of subscription: Subscription, _ call: @escaping @Sendable (ScaledroneRoom) -> Void) {
        self.tellCurrent { call(subscription.room(of: $0)) }
    }

    /// Waits until the delegates have returned from all earlier calls, or the task is cancelled.
    func toldEverything() async {
        let (nothing, taken) = AsyncStream.makeStream(of: Never.self)
        self.queue.async { taken.finish() }
        for await _ in nothing {}
    }

    /// Unless the app has disconnected in the meantime.
    private func tellCurrent(_ call: @escaping @Sendable (Scaledrone) -> Void) {
        self.tell { [session] scaledrone in
            if scaledrone.isRunning(session) { call(scaledrone) }
        }
    }

    private func tell(_ call: @escaping @Sendable (Scaledrone) -> Void) {
        self.queue.async { [scaledrone] in
            if let scaledrone = scaledrone() { call(scaledrone) }
        }
    }
}
