#if canImport(Network)
import Dispatch
import NIOConcurrencyHelpers
import Network

/// The system's word about the network path.
///
/// Unchecked: the monitor is started once and cancelled once, and may be used on every thread.
final class PathWatch: NetworkWatch, @unchecked Sendable {
    private let monitor = NWPathMonitor()
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var changes = PathChanges()
        var onChange: (@Sendable () -> Void)?
    }

    func start(_ onChange: @escaping @Sendable () -> Void) {
        self.state.withLockedValue { $0.onChange = onChange }
        self.monitor.pathUpdateHandler = { [state] path in
            let path = NetworkPath(path)
            let onChange = state.withLockedValue { $0.changes.moved(to: path) ? $0.onChange : nil }
            onChange?()
        }
        self.monitor.start(queue: DispatchQueue(label: "roomline.network-path"))
    }

    func stop() {
        self.monitor.cancel()
        // The client owns this watch, and would live as long as its own closure.
        self.state.withLockedValue { $0.onChange = nil }
    }
}

extension NetworkPath {
    fileprivate init(_ path: NWPath) {
        self.init(
            isUsable: path.status == .satisfied,
            interface: path.availableInterfaces.first?.name,
            gateways: Set(path.gateways.map { "\($0)" })
        )
    }
}
#endif
