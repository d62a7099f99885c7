import NIOConcurrencyHelpers
package import RoomModel

/// Knows which parts of imports belong together, so that an import is one entry of the audit log however many parts it has.
package final class ImportActs: Sendable {
    private struct Act: Equatable {
        var actor: String
        /// The epoch in the answer to the newest part.
        var epoch: Epoch
    }

    /// Far more than are under way at a time; who is forgotten is noted once more.
    private static let mostKnown = 1_024

    private let acts = NIOLockedValueBox<[RoomKey: Act]>([:])

    package init() {}

    /// Whether a part is one that an earlier part of the same caller's leads to: nobody else has been told that epoch by an
    /// import.
    package func isContinued(by actor: String, in room: RoomKey, after: Position?) -> Bool {
        self.acts.withLockedValue { acts in
            acts[room].map { $0.actor == actor && $0.epoch == after?.epoch } ?? false
        }
    }

    /// A part is stored.
    package func stored(by actor: String, in room: RoomKey, epoch: Epoch) {
        self.acts.withLockedValue { acts in
            if acts.count >= Self.mostKnown, acts[room] == nil { acts = [:] }
            acts[room] = Act(actor: actor, epoch: epoch)
        }
    }
}
