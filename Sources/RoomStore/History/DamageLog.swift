import Logging
import NIOConcurrencyHelpers

/// Tells operators of damaged messages, once of each place. Called on any thread.
final class DamageLog: Sendable {
    /// Behind so many places, the file is worse than a list of them can say.
    private static let mostPlaces = 1_000

    private let logger: Logger
    private let places = NIOLockedValueBox<Set<DamagedMessages>>([])

    init(_ logger: Logger) {
        self.logger = logger
    }

    func found(_ damaged: DamagedMessages) {
        let isNew = self.places.withLockedValue { places in
            places.count < Self.mostPlaces && places.insert(damaged).inserted
        }
        guard isNew else { return }
        self.logger.error(
            "messages in the history file are damaged: readers get a gap in their place",
            metadata: [
                "room": "\(damaged.room.map { "\($0)" } ?? "unknown")", "lost.from_seq": "\(damaged.seqs.lowerBound)",
                "lost.to_seq": "\(damaged.seqs.upperBound)",
            ]
        )
    }
}
