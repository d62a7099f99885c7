import HTTPTypes
import NIOConcurrencyHelpers
import RoomModel

/// Bounds, over all connections, the requests that are under way and the answers that have not been read.
///
/// Each connection has one request at a time; this is for those who open many. Loopback and a peer without an address are
/// exempt from what holds for each address: a proxy may speak for everybody.
package final class HTTPLoad: Sendable {
    package struct Limits: Equatable, Sendable {
        /// Requests of one address that are under way, until the last byte of their answers has gone out.
        package var requestsPerAddress = 100
        /// Bytes of answers that wait for the peer to read them.
        package var unreadPerAddress = 8 << 20
        package var unread = 64 << 20

        package init() {}
    }

    private struct Counts {
        var unread = 0
        /// Only of those with a request.
        var addresses: [IPAddress: (requests: Int, unread: Int)] = [:]
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
            guard counts.unread <= self.limits.unread else {
                return Self.refusal(.serviceUnavailable, "too many answers of the broker are not read")
            }
            guard let address else { return nil }
            var own = counts.addresses[address] ?? (0, 0)
            guard own.requests < self.limits.requestsPerAddress else {
                return Self.refusal(.tooManyRequests, "your address has \(own.requests) requests under way")
            }
            guard own.unread <= self.limits.unreadPerAddress else {
                return Self.refusal(.tooManyRequests, "your address does not read the answers it gets")
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

    private func unreadChanged(by bytes: Int, _ address: IPAddress?) {
        self.counts.withLockedValue { counts in
            counts.unread += bytes
            if let address { counts.addresses[address]?.unread += bytes }
        }
    }

    private static func refusal(_ status: HTTPResponse.Status, _ text: String) -> Problem {
        Problem(status, .tooManyRequests, "\(text); wait for an answer first", headers: [.retryAfter: "1"])
    }

    /// The place of one connection: it is used for one request after the other.
    final class Slot: Sendable {
        private struct State {
            var isTaken = false
            /// The connection is gone: a request that is still being answered counts no more.
            var isClosed = false
            var address: IPAddress?
            var unread = 0
        }

        private let load: HTTPLoad
        private let state = NIOLockedValueBox(State())

        init(_ load: HTTPLoad) {
            self.load = load
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

        /// So many bytes of the answer wait now.
        func isUnread(_ bytes: Int) {
            self.state.withLockedValue { state in
                guard state.isTaken, state.unread != bytes else { return }
                self.load.unreadChanged(by: bytes - state.unread, state.address)
                state.unread = bytes
            }
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
            guard state.isTaken else { return }
            if state.unread != 0 { self.load.unreadChanged(by: -state.unread, state.address) }
            self.load.leave(state.address)
            state.isTaken = false
            state.unread = 0
        }
    }
}
