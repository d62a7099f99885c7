package import RoomModel

/// For listeners of other modules, whose connections count like ours.
extension ConnectionGate {
    /// Counts a connection in, or says why not; only who was let in leaves. Loopback and what has no address are exempt
    /// from what holds for each address.
    ///
    /// - Parameter now: a monotonic time in nanoseconds.
    package func enter(peer: IPAddress?, now: UInt64) -> RequestError? {
        let address = Self.counted(peer)
        let admission = self.enter(address, now: now)
        switch admission {
        case .admitted: return nil
        case .refused(let error):
            // it is told at once, so it is never one of many that are being told
            self.leave(address, admission)
            return error
        case .turnedAway:
            return RequestError(.tooManyConnections, "the broker has reached its limit of connections; try again later")
        }
    }

    package func leave(peer: IPAddress?) {
        self.leave(Self.counted(peer), .admitted)
    }

    private static func counted(_ peer: IPAddress?) -> IPAddress? {
        peer.flatMap { $0.isLoopback ? nil : $0 }
    }
}
