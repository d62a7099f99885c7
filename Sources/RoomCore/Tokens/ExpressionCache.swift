import NIOConcurrencyHelpers
import RoomModel

/// The compiled regular expressions of a channel's tokens: an app puts the same few into all of them.
///
/// Tokens keep the text of their patterns only, so that this bounds the memory of all that is compiled. There are two
/// generations: once the young one is full it becomes the old one, and what is used again out of the old moves over.
final class ExpressionCache: Sendable {
    private struct Generations {
        var young: [ExpressionText: CompiledExpression] = [:]
        var old: [ExpressionText: CompiledExpression] = [:]
    }

    private let generations = NIOLockedValueBox(Generations())
    private let capacity: Int

    /// - Parameter capacity: how many expressions one generation has.
    init(capacity: Int = 128) {
        self.capacity = capacity
        _ = CompiledExpression.engineIsReady
    }

    /// Whether the expression is found in the name; compiles it if need be.
    func match(_ text: ExpressionText, against room: RoomName, within budget: inout MatchBudget) -> PatternVerdict {
        let known = self.find(text)
        switch known {
        case .invalid?, .unaffordable?: return .untried
        case .ready?, nil: break
        }
        guard !budget.isSpent() else { return .untried }
        let expression = known ?? CompiledExpression(text.text)
        if known == nil { self.keep(expression, for: text) }
        switch expression {
        case .invalid, .unaffordable: return .untried
        case .ready(let compiled):
            let allowance = budget.allowance()
            let verdict = CompiledExpression.search(room, for: compiled, within: allowance)
            // ICU keeps the stack of the largest search, up to 8 MB. Compiling again costs less than keeping that.
            if verdict == .stopped || allowance.isHalfSpent { self.remove(text) }
            return verdict
        }
    }

    var count: Int { self.generations.withLockedValue { $0.young.count + $0.old.count } }

    private func find(_ text: ExpressionText) -> CompiledExpression? {
        self.generations.withLockedValue { generations in
            if let found = generations.young[text] { return found }
            guard let found = generations.old[text] else { return nil }
            self.add(found, for: text, to: &generations)
            return found
        }
    }

    private func keep(_ expression: CompiledExpression, for text: ExpressionText) {
        self.generations.withLockedValue { self.add(expression, for: text, to: &$0) }
    }

    private func remove(_ text: ExpressionText) {
        self.generations.withLockedValue { generations in
            generations.young[text] = nil
            generations.old[text] = nil
        }
    }

    private func add(_ expression: CompiledExpression, for text: ExpressionText, to generations: inout Generations) {
        if generations.young.count >= self.capacity, generations.young[text] == nil {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[text] = expression
    }
}
