import Foundation
import RoomModel
import RoomWire

@testable import RoomCore

/// A pattern of a token's permissions and, in the next line, a room: a pattern that is compared without the regular expression
/// engine matches as the engine says.
enum PatternsFuzz: FuzzTarget {
    static let name = "patterns"

    static func check(_ bytes: UnsafeRawBufferPointer) throws {
        let lines = bytes.text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (pattern, name) = (lines[0], lines.count > 1 ? lines[1] : "room")
        guard pattern.utf8.count <= TokenLimits.pattern, RoomNameRule.fault(in: name, limit: 200) == nil else { return }
        let room = RoomName(name)
        let compiled = CompiledExpression(pattern)
        // The engine has no empty pattern; ours is found in all names.
        guard let literal = LiteralPattern(pattern), !pattern.isEmpty else {
            if case .ready(let expression) = compiled { _ = self.search(room, expression) }
            return
        }
        switch compiled {
        case .ready(let expression):
            let verdict = self.search(room, expression)
            try demand(
                verdict == .stopped || literal.matches(room) == (verdict == .matches),
                "\(pattern) and \(name): the engine says \(verdict)"
            )
        case .unaffordable: break
        case .invalid: throw BrokenInvariant(description: "\(pattern) is not a pattern to the engine")
        }
    }

    private static func search(_ room: RoomName, _ expression: NSRegularExpression) -> PatternVerdict {
        var budget = MatchBudget(clock: .thread)
        _ = budget.isSpent()
        return CompiledExpression.search(room, for: expression, within: budget.allowance())
    }
}
