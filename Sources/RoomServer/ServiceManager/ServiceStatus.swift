import Logging

/// The broker's messages to its service manager. Without one it tells nothing.
struct ServiceStatus: Sendable {
    let notifier: ServiceNotifier?
    let logger: Logger

    func tell(_ change: ServiceNotifier.Change) {
        do throws(NotifyError) {
            try self.notifier?.tell(change)
        } catch {
            self.logger.warning(
                "the service manager cannot be told",
                metadata: ["news": "\(change.text)", "error": "\(error)", "code": "service_manager_unreachable"]
            )
        }
    }
}
