import NIOConcurrencyHelpers
import NIOHTTP1
import RoomModel

/// Bounds, over all connections, the requests that are under way, their bodies, and the answers that have not been read.
///
/// Each connection has one request at a time; this is for those who open many. Loopback and a peer without an address are
/// exempt from what holds for each address: a proxy may speak for everybody. Beyond the bound on all unread answers the
/// connection is closed that has most of them, so nobody else pays for it.
package final class HTTPLoad: Sendable {
    package struct Limits: Equatable, Sendable {
        /// Requests of one address that are under way, until the last byte of their answers has gone out.
        package var requestsPerAddress = 100
        /// Bytes of answers that wait for the peer to read them.
        package var unreadPerAddress = 8 << 20
        package var unread = 16 << 20
        /// Bytes of bodies that are on their way, or whose requests have not been answered.
        package var bodies = 8 << 20
        /// A body of so many bytes is not worth counting.
        package var uncountedBody = 4 << 10

        package init() {}
    }

    private struct Unread {
        let slot: Slot
        let address: IPAddress?
        var bytes = 0
        /// It had most, and is being closed: it counts no more.
        var isDisconnected = false
    }

    private struct Counts {
        var unread = 0
        var bodies = 0
        /// Only of those with an answer that waits.
        var slots: [ObjectIdentifier: Unread] = [:]
        /// Only of those with a request.
        var addresses: [IPAddress: (requests: Int, unread: Int)] = [:]

        mutating func add(_ bytes: Int, _ address: IPAddress?) {
            self.unread += bytes
            if let address { self.addresses[address]?.unread += bytes }
        }
    }

    private let limits: Limits
    private let counts = NIOLockedValueBox(Counts())

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The addresses that have a request under way.
    var addresses: Int { self.counts.withLockedValue { $0.addresses.count } }

    private func enter(_ address: IPAddress?) -> Problem? {
        self.counts.withLockedValue { counts in
            guard let address else { return nil }
            var own = counts.addresses[address] ?? (0, 0)
            guard own.requests < self.limits.requestsPerAddress else {
                return Self.refusal("your address has \(own.requests) requests under way")
            }
            guard own.unread <= self.limits.unreadPerAddress else {
                return Self.refusal("your address does not read the answers it gets")
            }
            own.requests += 1
            counts.addresses[address] = own
            return nil
        }
    }

    private func leave(_ address: IPAddress?) {
        guard let address else { return }
        self.counts.withLockedValue { counts in
            guard var own = counts.addresses[address] else { return }
            own.requests -= 1
            counts.addresses[address] = own.requests > 0 ? own : nil
        }
    }

    /// - Returns: whether there is memory for so many bytes more; fewer than none are given back.
    private func addBody(_ bytes: Int) -> Bool {
        self.counts.withLockedValue { counts in
            guard bytes < 0 || counts.bodies + bytes <= self.limits.bodies else { return false }
            counts.bodies += bytes
            return true
        }
    }

    /// - Returns: the slot with most unread bytes where there are too many now: its connection has to be closed.
    private func unreadChanged(to bytes: Int, of slot: Slot, _ address: IPAddress?) -> Slot? {
        self.counts.withLockedValue { counts in
            let id = ObjectIdentifier(slot)
            let unread = counts.slots[id] ?? Unread(slot: slot, address: address)
            if bytes == 0 { counts.slots[id] = nil }
            guard !unread.isDisconnected else { return nil }
            if bytes > 0 { counts.slots[id] = Unread(slot: slot, address: address, bytes: bytes) }
            counts.add(bytes - unread.bytes, address)
            guard counts.unread > self.limits.unread,
                let most = counts.slots.max(by: { $0.value.bytes < $1.value.bytes })
            else { return nil }
            counts.add(-most.value.bytes, most.value.address)
            counts.slots[most.key]?.bytes = 0
            counts.slots[most.key]?.isDisconnected = true
            return most.value.slot
        }
    }

    private static func refusal(_ text: String) -> Problem {
        Problem(.tooManyRequests, .tooManyRequests, "\(text); wait for an answer first", headers: ["Retry-After": "1"])
    }

    /// The place of one connection: it is used for one request after the other.
    final class Slot: Sendable {
        private struct State {
            var isTaken = false
            /// The connection is gone: a request that is still being answered counts no more.
            var isClosed = false
            var address: IPAddress?
            var unread = 0
            var body = 0
        }

        private let load: HTTPLoad
        private let disconnect: @Sendable () -> Void
        private let state = NIOLockedValueBox(State())

        /// - Parameter disconnect: closes the connection, which then calls `close`.
        init(_ load: HTTPLoad, disconnect: @escaping @Sendable () -> Void = {}) {
            self.load = load
            self.disconnect = disconnect
        }

        /// Counts a request; `leave` has to follow.
        ///
        /// - Returns: why it is refused.
        func enter(_ peer: IPAddress?) -> Problem? {
            let address = peer.flatMap { $0.isLoopback ? nil : $0.network }
            return self.state.withLockedValue { state in
                guard !state.isTaken, !state.isClosed else { return nil }
                if let problem = self.load.enter(address) { return problem }
                state.isTaken = true
                state.address = address
                return nil
            }
        }

        /// So much has come of the body of the connection's request.
        ///
        /// - Returns: why the request is refused: there is no memory for it.
        func holds(body bytes: Int) -> Problem? {
            guard bytes > self.load.limits.uncountedBody else { return nil }
            return self.state.withLockedValue { state in
                guard !state.isClosed, bytes != state.body else { return nil }
                guard self.load.addBody(bytes - state.body) else { return Self.noMemory }
                state.body = bytes
                return nil
            }
        }

        private static let noMemory = Problem(
            .serviceUnavailable,
            .tooManyRequests,
            "the bodies of too many requests are on their way; try again later",
            headers: ["Retry-After": "1"]
        )

        /// So many bytes of the answer wait now.
        func isUnread(_ bytes: Int) {
            let most = self.state.withLockedValue { state -> Slot? in
                guard state.isTaken, state.unread != bytes else { return nil }
                state.unread = bytes
                return self.load.unreadChanged(to: bytes, of: self, state.address)
            }
            most?.disconnect()
        }

        /// The body of the request is counted elsewhere from now on.
        func handOverBody() {
            self.state.withLockedValue { self.giveBackBody(&$0) }
        }

        /// The answer has gone out.
        func leave() {
            self.state.withLockedValue { self.leave(&$0) }
        }

        /// The connection is gone.
        func close() {
            self.state.withLockedValue { state in
                state.isClosed = true
                self.leave(&state)
            }
        }

        private func leave(_ state: inout State) {
            self.giveBackBody(&state)
            guard state.isTaken else { return }
            if state.unread != 0 { _ = self.load.unreadChanged(to: 0, of: self, state.address) }
            self.load.leave(state.address)
            state.isTaken = false
            state.unread = 0
        }

        private func giveBackBody(_ state: inout State) {
            if state.body > 0 { _ = self.load.addBody(-state.body) }
            state.body = 0
        }
    }
}
