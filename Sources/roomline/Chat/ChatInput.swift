/// How the user, or a program, says something.
enum ChatInput: Sendable {
    /// Key by key, with a prompt.
    case keys
    /// Lines of somebody at a terminal, with commands among them.
    case lines
    /// Each line is a message as it is.
    case messages(LinePublisher)
}
