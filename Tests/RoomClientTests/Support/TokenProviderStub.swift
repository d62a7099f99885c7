@testable import RoomClient

/// An app's token provider: what it is asked, and what it answers when a test says so.
final class TokenProviderStub: Sendable {
    struct Failure: Error {}

    /// The client ids that a token was asked for.
    let asked = Inbox<String>()
    /// `nil`: the provider throws.
    let answers = Inbox<String?>()
    /// The client ids that a token was no longer wanted for.
    let cancelled = Inbox<String>()

    var source: TokenSource {
        .provider { clientID in
            self.asked.add(clientID)
            do {
                guard let token = try await self.answers.next() else { throw Failure() }
                return token
            } catch let error as CancellationError {
                self.cancelled.add(clientID)
                throw error
            }
        }
    }
}
