#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Tells the service manager that has started the broker, such as systemd, what the broker does: each change is one
/// datagram to the Unix socket that `NOTIFY_SOCKET` names (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    enum Change: Equatable, Sendable {
        /// The start takes long, and goes on.
        ///
        /// - Parameters:
        ///   - microseconds: how long the service manager has to wait for more news at least.
        ///   - status: for people.
        case starting(microseconds: Int64, status: String)
        /// The broker listens, or has completed a reload.
        case ready
        /// - Parameter microseconds: the time of the system's monotonic clock.
        case reloading(microseconds: UInt64)
        case stopping
        /// Every event loop turns.
        case alive

        var text: String {
            switch self {
            case .starting(let time, let status): "EXTEND_TIMEOUT_USEC=\(time)\nSTATUS=\(status)"
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }
    }

    private let address: NotifyAddress
    /// How often the service manager wants to hear `alive`; `nil`: it does not want to.
    let watchdogTime: Duration?

    /// `nil` where no service manager waits for news, or where its address is of no Unix socket.
    package init?(environment: [String: String]) {
        self.init(environment: environment, process: getpid())
    }

    init?(environment: [String: String], process: pid_t) {
        guard let address = environment["NOTIFY_SOCKET"].flatMap(NotifyAddress.init) else { return nil }
        self.address = address
        let isForAnother = environment["WATCHDOG_PID"].map { pid_t($0) != process } ?? false
        let microseconds = isForAnother ? nil : environment["WATCHDOG_USEC"].flatMap(Int64.init)
        self.watchdogTime = microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    /// - Throws: `NotifyError` where the service manager cannot be reached.
    func tell(_ change: Change) throws(NotifyError) {
        try self.address.send(change.text)
    }
}
