import Logging
import NIOConcurrencyHelpers
import RoomStore

/// Says how far a start is that takes over the messages of an earlier version: to the service manager, which waits longer for
/// such a start, and in the log.
final class MigrationReport: Sendable {
    private static let interval = Duration.seconds(5)
    /// The service manager waits so long for the next news. The messages are counted in one piece.
    private static let patience = Duration.seconds(300)

    private let status: ServiceStatus
    private let logger: Logger
    private let show: (@Sendable (_ moved: UInt64, _ total: UInt64) -> Void)?
    private let saidAt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)

    /// - Parameter show: shows each step, in place of the lines of the log between the first and the last; `nil`: there are
    ///   such lines.
    init(
        status: ServiceStatus,
        logger: Logger,
        show: (@Sendable (_ moved: UInt64, _ total: UInt64) -> Void)?
    ) {
        self.status = status
        self.logger = logger
        self.show = show
    }

    func progressed(to progress: MigrationProgress, now: ContinuousClock.Instant) {
        switch progress {
        case .counting:
            self.saidAt.withLockedValue { $0 = now }
            self.tell("counting the messages of an earlier version")
            self.logger.notice(
                "the history is from an earlier version: its messages are taken over, which takes about eight seconds for each million"
            )
        case .moved(let moved, let total):
            self.show?(moved, total)
            if moved == total { return self.ended(total) }
            guard self.isDue(now) else { return }
            let percent = moved * 100 / max(total, 1)
            self.tell("\(percent) % of \(total) messages of an earlier version are taken over")
            if self.show == nil { self.logger.notice("messages are taken over", metadata: Self.metadata(moved, total)) }
        }
    }

    private func isDue(_ now: ContinuousClock.Instant) -> Bool {
        self.saidAt.withLockedValue { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
    }

    private func ended(_ total: UInt64) {
        self.tell("")
        self.logger.notice("all messages of the earlier version are taken over", metadata: Self.metadata(total, total))
    }

    private func tell(_ status: String) {
        self.status.tell(.starting(microseconds: Self.patience.components.seconds * 1_000_000, status: status))
    }

    private static func metadata(_ moved: UInt64, _ total: UInt64) -> Logger.Metadata {
        ["messages.moved": "\(moved)", "messages.total": "\(total)"]
    }
}
