import NIOConcurrencyHelpers
import RoomCrypto
import RoomModel

/// The answers that were found for rooms lately, by the permissions of a channel's tokens: they are the same for everybody whose
/// token says the same. Only those are here for which each pattern was tried to its end.
final class KnownAnswers: Sendable {
    private struct Question: Hashable {
        let permissions: SHA256Digest
        let room: RoomName
    }

    private let answers = NIOLockedValueBox(RecentValues<Question, RoomPermission>(capacity: TokenLimits.answers))

    func find(_ room: RoomName, by permissions: SHA256Digest) -> RoomPermission? {
        self.answers.withLockedValue { $0.find(Question(permissions: permissions, room: room)) }
    }

    func keep(_ answer: RoomPermission, for room: RoomName, by permissions: SHA256Digest) {
        self.answers.withLockedValue { $0.keep(answer, for: Question(permissions: permissions, room: room)) }
    }

    var count: Int { self.answers.withLockedValue { $0.count } }
}
