/// Whether a pattern matches the name of a room.
enum PatternVerdict: Equatable {
    case matches
    case differs
    /// It cost too much to find out.
    case unknown
}
