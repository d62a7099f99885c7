import RoomClient

/// The state of the connection as the user is told it, with the seconds until the next attempt. Pure.
struct ConnectionView: Equatable, Sendable {
    private enum State: Equatable {
        case connected
        case connecting
        case waiting(until: ContinuousClock.Instant, isStopped: Bool)
    }

    private var state = State.connected
    private var now: ContinuousClock.Instant?
    /// Whether there was a connection and there is none now.
    private(set) var isDown = false

    mutating func changed(to state: ConnectionState, _ now: ContinuousClock.Instant) {
        self.now = now
        switch state {
        case .idle, .closed: break
        case .connecting: self.state = .connecting
        case .connected:
            self.state = .connected
            self.isDown = false
        case .waiting(let pause, let error):
            self.state = .waiting(until: now + pause, isStopped: error.code == .shuttingDown)
            self.isDown = true
        }
    }

    mutating func ticked(_ now: ContinuousClock.Instant) {
        self.now = now
    }

    /// Whether the next attempt is still to come.
    var isWaiting: Bool {
        if case .waiting = self.state { true } else { false }
    }

    /// `nil` while all is well.
    ///
    /// - Parameter isShort: for a screen with little room.
    func text(isShort: Bool = false) -> String? {
        switch self.state {
        case .connected: return nil
        case .connecting: return self.isDown ? "connecting…" : nil
        case .waiting(let until, let isStopped):
            let left = self.now.map { until - $0 } ?? .zero
            let seconds = max(Int((left / .seconds(1)).rounded(.up)), 0)
            if isShort { return "retry in \(seconds) s" }
            let reason = isStopped ? "the broker was stopped" : "connection lost"
            return "\(reason), next attempt in \(seconds) s"
        }
    }
}
