import Foundation
import RoomModel

/// What became of the text of a regular expression.
///
/// The engine is ICU's, through `NSRegularExpression`: it has Perl's syntax and, unlike Swift's `Regex`, calls back while
/// it searches and can then be stopped.
enum CompiledExpression: Sendable {
    case ready(NSRegularExpression)
    /// It is none; it matches nothing.
    case invalid
    /// It cost, or would cost, more than may be; it is not tried again.
    case givenUp

    /// Compiles what is short and simple enough (``ExpressionShape``): compiling cannot be stopped.
    init(_ text: String) {
        guard ExpressionShape(text).isAffordable else {
            self = .givenUp
            return
        }
        // Only LF ends a line, as in Perl: `$` is the end of a name also where that ends in U+2028. The error says
        // nothing that a token's holder could use.
        guard let expression = try? NSRegularExpression(pattern: text, options: .useUnixLineSeparators) else {
            self = .invalid
            return
        }
        self = .ready(expression)
    }

    /// Looks for a match anywhere in the name, and becomes ``givenUp`` where that costs more than the allowance.
    mutating func match(_ room: RoomName, within allowance: MatchBudget.Allowance) -> PatternVerdict {
        switch self {
        case .invalid: return .differs
        case .givenUp: return .unknown
        case .ready(let expression):
            let verdict = Self.search(room.text, for: expression, within: allowance)
            if verdict == .unknown { self = .givenUp }
            return verdict
        }
    }

    private static func search(
        _ name: String,
        for expression: NSRegularExpression,
        within allowance: MatchBudget.Allowance
    ) -> PatternVerdict {
        var verdict = PatternVerdict.differs
        let all = NSRange(location: 0, length: name.utf16.count)
        expression.enumerateMatches(in: name, options: [.reportProgress, .reportCompletion], range: all) {
            match,
            flags,
            stop in
            if match != nil {
                verdict = .matches
                stop.pointee = true
            } else if flags.contains(.internalError) || (!flags.contains(.completed) && allowance.isSpent) {
                // An internal error is a full stack, most likely.
                verdict = .unknown
                stop.pointee = true
            }
        }
        return verdict
    }
}
