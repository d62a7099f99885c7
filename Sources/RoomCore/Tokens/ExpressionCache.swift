import NIOConcurrencyHelpers
import RoomModel

/// The compiled regular expressions of a channel's tokens: an app puts the same few into all of them.
///
/// Tokens keep the text of their patterns only, so that this bounds the memory of all that is compiled.
final class ExpressionCache: Sendable {
    private let compiled: NIOLockedValueBox<RecentValues<ExpressionText, CompiledExpression>>

    /// - Parameter capacity: how many expressions one generation has.
    init(capacity: Int = 128) {
        self.compiled = NIOLockedValueBox(RecentValues(capacity: capacity))
        _ = CompiledExpression.engineIsReady
    }

    /// Whether the expression is found in the name; compiles it if need be.
    func match(_ text: ExpressionText, against room: RoomName, within budget: inout MatchBudget) -> PatternVerdict {
        let known = self.compiled.withLockedValue { $0.find(text) }
        switch known {
        case .invalid?, .unaffordable?: return .untried
        case .ready?, nil: break
        }
        guard !budget.isSpent() else { return .untried }
        let expression = known ?? CompiledExpression(text.text)
        if known == nil {
            budget.compiled += 1
            self.compiled.withLockedValue { $0.keep(expression, for: text) }
        }
        switch expression {
        case .invalid, .unaffordable: return .untried
        case .ready(let compiled):
            budget.searched += 1
            let allowance = budget.allowance()
            let verdict = CompiledExpression.search(room, for: compiled, within: allowance)
            // ICU keeps the stack of the largest search, up to 8 MB. Compiling again costs less than keeping that.
            if verdict == .stopped || allowance.isHalfSpent {
                self.compiled.withLockedValue { $0.remove(text) }
            }
            return verdict
        }
    }

    var count: Int { self.compiled.withLockedValue { $0.count } }
}
