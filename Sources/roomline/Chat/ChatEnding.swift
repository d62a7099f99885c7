/// Why the chat is over.
enum ChatEnding: Sendable {
    /// The user has left, or the terminal has gone.
    case left
    case failed(CommandFailure)
}
