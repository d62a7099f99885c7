import NIOCore
import ServiceLifecycle

/// Tells the service manager that the broker is alive, twice as often as it wants to hear so, and only after every event
/// loop has turned: a broker whose loop stands still is restarted.
struct Watchdog: Service {
    let status: ServiceStatus
    let loops: [any EventLoop]

    /// How often to tell; `nil`: nobody wants to hear it.
    var interval: Duration? { self.status.notifier?.watchdogTime.map { $0 / 2 } }

    func run() async throws {
        guard let interval = self.interval else { return }
        await cancelWhenGracefulShutdown {
            repeat {
                // It fails once the loops have been shut down.
                guard (try? await Self.turn(of: self.loops).get()) != nil else { return }
                self.status.tell(.alive)
            } while (try? await Task.sleep(for: interval)) != nil  // throws when cancelled
        }
    }

    /// Succeeds once each of the loops has run something that was given to it now.
    static func turn(of loops: [any EventLoop]) -> EventLoopFuture<Void> {
        .andAllSucceed(loops.map { $0.submit {} }, on: loops[0])
    }
}
