import NIOConcurrencyHelpers
import RoomDelivery
import RoomModel

/// Knows which requests to redact somebody's messages belong together, so that one act is one entry of the audit log however
/// many requests it needs, and whom they are about: a ban has ended the sessions by which the author was known.
final class AuthorActs: Sendable {
    struct Act: Hashable, Sendable {
        var actor: String
        var channel: ChannelID
        /// `nil`: all rooms of the channel.
        var room: RoomName?
        var subject: SanctionSubject
    }

    /// How far an act is.
    private struct Progress: Sendable {
        var author: MessageAuthor
        var place: String
    }

    /// Far more than are under way at a time. An act that is forgotten is noted a second time.
    private static let mostKnown = 1_024

    private let acts = NIOLockedValueBox<[Act: Progress]>([:])

    /// The author of an act that goes on at this place; `nil`: it is another act.
    func author(of act: Act, at place: String?) -> MessageAuthor? {
        guard let place else { return nil }
        return self.acts.withLockedValue { acts in acts[act].flatMap { $0.place == place ? $0.author : nil } }
    }

    /// A part of the act is done.
    ///
    /// - Parameter place: where it goes on; `nil`: it is complete.
    func done(_ act: Act, by author: MessageAuthor, next place: String?) {
        self.acts.withLockedValue { acts in
            if acts.count >= Self.mostKnown, acts[act] == nil { acts = [:] }
            acts[act] = place.map { Progress(author: author, place: $0) }
        }
    }
}
