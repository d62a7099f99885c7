import NIOConcurrencyHelpers
package import RoomCore
package import RoomModel

/// Knows which requests to prune belong together, so that what one command takes out of a channel is one entry of the audit
/// log however many requests it needs.
package final class PruneActs: Sendable {
    /// The rooms and the bound of a prune command, and its caller.
    package struct Act: Hashable, Sendable {
        let actor: String
        let channel: ChannelID
        /// `nil`: all rooms of the channel.
        let room: RoomName?
        let bound: PruneBound

        package init(actor: String, channel: ChannelID, room: RoomName?, bound: PruneBound) {
            self.actor = actor
            self.channel = channel
            self.room = room
            self.bound = bound
        }
    }

    /// Far more than are under way at a time. A command that is forgotten is noted a second time.
    private static let mostKnown = 1_024

    /// The place that the newest answer to each act has named, where the act goes on.
    private let places = NIOLockedValueBox<[Act: String]>([:])

    package init() {}

    /// Whether a request follows from the answer to an earlier one, which the audit log has.
    package func isContinued(_ act: Act, from place: String?) -> Bool {
        guard let place else { return false }
        return self.places.withLockedValue { $0[act] == place }
    }

    /// A part of the act is done.
    ///
    /// - Parameter place: where it goes on; `nil`: it is complete.
    package func done(_ act: Act, next place: String?) {
        self.places.withLockedValue { places in
            if places.count >= Self.mostKnown, places[act] == nil { places = [:] }
            places[act] = place
        }
    }
}
