import RoomModel

/// The pattern of a history rule: the operator's, matched like those of tokens.
package struct HistoryPattern: Sendable {
    private let pattern: RoomPattern
    private let expressions: ExpressionCache

    init(_ text: String, expressions: ExpressionCache) {
        self.pattern = RoomPattern(text)
        self.expressions = expressions
    }

    /// Whether the text is a regular expression, and one that is matched at a cost that can be borne.
    package static func isUsable(_ text: String) -> Bool {
        switch RoomPattern(text) {
        case .literal: return true
        case .unreadable: return false
        case .expression:
            if case .ready = CompiledExpression(text) { return true }
            return false
        }
    }

    /// A pattern that is not a regular expression, or that costs too much, matches nothing.
    func matches(_ room: RoomName) -> Bool {
        switch self.pattern {
        case .literal(let literal): return literal.matches(room)
        case .unreadable: return false
        case .expression(let text):
            var budget = MatchBudget(clock: .thread)
            return self.expressions.match(text, against: room, within: &budget) == .matches
        }
    }
}
