/// Whether a pattern matches the name of a room.
enum PatternVerdict: Equatable {
    case matches
    case differs
    /// The search took too long and was stopped.
    case stopped
    /// It was not looked for: that would cost too much, or nothing was left to spend.
    case untried
}
