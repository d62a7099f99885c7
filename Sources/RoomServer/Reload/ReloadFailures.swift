import NIOConcurrencyHelpers

/// What the newest reload could not use, until one succeeds: for `/health` and the statistics.
final class ReloadFailures: Sendable {
    enum Failure: String, CaseIterable, Sendable {
        case configuration = "configuration_reload_failed"
        case certificate = "tls_reload_failed"
    }

    private let failures = NIOLockedValueBox<Set<Failure>>([])

    func failed(_ failure: Failure) { self.failures.withLockedValue { _ = $0.insert(failure) } }

    /// - Returns: whether it had failed before.
    @discardableResult
    func succeeded(_ failure: Failure) -> Bool { self.failures.withLockedValue { $0.remove(failure) } != nil }

    /// A word for each, as the log has it.
    var warnings: [String] {
        self.failures.withLockedValue { failures in Failure.allCases.filter(failures.contains).map(\.rawValue) }
    }
}
