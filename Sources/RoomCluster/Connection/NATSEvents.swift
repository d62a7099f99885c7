#if Cluster
import CNats
import NIOConcurrencyHelpers

/// Tells what becomes of the connection that a node goes on over; of those that it only tries it tells nothing.
///
/// The library may call as long as it has threads: so these live as long as the process, one for all connections of a node.
final class NATSEvents: Sendable {
    private struct State {
        var receive: @Sendable (NATSConnection.Event) -> Void
        /// Of the connection that is used; `nil`: of none.
        var address: UInt?
    }

    private let state: NIOLockedValueBox<State>

    init(_ receive: @escaping @Sendable (NATSConnection.Event) -> Void) {
        self.state = NIOLockedValueBox(State(receive: receive))
        _ = Unmanaged.passRetained(self)
    }

    /// - Parameter connection: the one that is used from now on.
    func follow(_ connection: OpaquePointer) {
        self.state.withLockedValue { $0.address = UInt(bitPattern: connection) }
    }

    /// - Parameter connection: one that is closed; where it is not the one that is used, nothing changes.
    func forget(_ connection: OpaquePointer) {
        self.state.withLockedValue { state in
            if state.address == UInt(bitPattern: connection) { state.address = nil }
        }
    }

    func tell(_ event: NATSConnection.Event, of connection: OpaquePointer?) {
        let receive = self.state.withLockedValue { state in
            connection.map { UInt(bitPattern: $0) == state.address } ?? false ? state.receive : nil
        }
        receive?(event)
    }

    /// Has the library call when a connection with these options ends, and when it has made another one in its place.
    func set(on options: OpaquePointer) {
        let closure = Unmanaged.passUnretained(self).toOpaque()
        natsOptions_SetDisconnectedCB(options, { NATSEvents.from($1)?.tell(.disconnected, of: $0) }, closure)
        natsOptions_SetReconnectedCB(options, { NATSEvents.from($1)?.tell(.reconnected, of: $0) }, closure)
    }

    private static func from(_ closure: UnsafeMutableRawPointer?) -> NATSEvents? {
        closure.map { Unmanaged<NATSEvents>.fromOpaque($0).takeUnretainedValue() }
    }
}
#endif
