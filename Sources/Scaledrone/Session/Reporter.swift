import Dispatch
import Foundation

/// Tells the app what happens in one session: on the queue that the app has chosen, in order, for as long as the app holds its
/// ``Scaledrone``. Once the app has disconnected it hears of nothing but of what failed and of the end.
final class Reporter: Sendable {
    private enum Progress {
        case new
        /// The broker could not be reached yet, and the app knows.
        case troubled
        case connected
        /// Of that the app knows, too.
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

    /// For the first time or once more: an app that subscribes whenever it is connected must not hear of it twice.
    func connected(as clientID: String) {
        self.progress.withLock { self.connected(as: clientID, &$0) }
    }

    /// A room has been joined, so there is a connection, whoever notices first.
    func joined(as clientID: String) {
        self.progress.withLock { progress in
            if progress == .new || progress == .troubled { self.connected(as: clientID, &progress) }
        }
    }

    /// With the lock held, so that nobody who comes second gets ahead.
    private func connected(as clientID: String, _ progress: inout Progress) {
        let isFirst = progress != .connected
        progress = .connected
        self.tellCurrent { scaledrone in
            scaledrone.clientID = clientID
            guard isFirst else { return }
            scaledrone.delegate?.scaledroneDidConnect(scaledrone: scaledrone, error: nil as (any Error)?)
        }
    }

    /// There is no connection, and the next attempt follows. Of that the app hears only when there has been none at all.
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

    /// There is no coming back, whoever notices first.
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

    /// The last word.
    ///
    /// - Parameter clientError: why there is no coming back; `nil` when the app has disconnected.
    func ended(_ clientError: ClientError?) {
        if let clientError { self.gaveUp(because: clientError) }
        self.tell { scaledrone in
            let error = clientError?.nsError as (any Error)?
            scaledrone.delegate?.scaledroneDidDisconnect(scaledrone: scaledrone, error: error)
        }
    }

    /// A room is not joined because the client has given up.
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

    /// Waits until the app has taken what it was told so far, or the task is cancelled.
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
