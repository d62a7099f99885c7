/// A pattern of a token's `permissions`: a regular expression as Perl has them, to be found anywhere in a room's name.
enum RoomPattern: Equatable, Sendable {
    case literal(LiteralPattern)
    /// For the engine; compiled when the first room is held against it.
    case expression(ExpressionText)
    /// Matches no room.
    case never

    init(_ text: String) {
        self = LiteralPattern(text).map(Self.literal) ?? .expression(ExpressionText(text: text))
    }

    var needsEngine: Bool {
        if case .expression = self { true } else { false }
    }
}
