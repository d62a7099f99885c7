import Foundation
import RoomModel

/// The result of compiling a regular expression.
///
/// The engine is ICU's, through `NSRegularExpression`: it has Perl's syntax and, unlike Swift's `Regex`, calls back while
/// it searches and can then be stopped.
enum CompiledExpression: Sendable {
    case ready(NSRegularExpression)
    /// It is none.
    case invalid
    /// It would cost too much.
    case unaffordable

    /// Compiles what is short and simple enough (``ExpressionShape``): compiling cannot be stopped.
    init(_ text: String) {
        guard ExpressionShape(text).isAffordable else {
            self = .unaffordable
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

    /// Has the engine load its tables, which takes a millisecond or more that no pattern should be blamed for.
    static let engineIsReady: Bool = {
        let room = RoomName("A room")
        let allowance = MatchBudget.Allowance(clock: ProcessorClock { 0 }, end: .max)
        return ["(?i)[^b]\\w+", "\\p{L}\\X", "\\b(?<=a)"].allSatisfy {
            if case .ready(let expression) = CompiledExpression($0) {
                Self.search(room, for: expression, within: allowance) != .stopped
            } else {
                false
            }
        }
    }()

    /// Looks for a match anywhere in the name, until that has used up the allowance.
    static func search(
        _ room: RoomName,
        for expression: NSRegularExpression,
        within allowance: MatchBudget.Allowance
    ) -> PatternVerdict {
        var verdict = PatternVerdict.differs
        let name = room.text
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
                verdict = .stopped
                stop.pointee = true
            }
        }
        return verdict
    }
}

/// Whether a pattern matches the name of a room.
enum PatternVerdict: Equatable {
    case matches
    case differs
    /// The search took too long and was stopped.
    case stopped
    /// The search was not made: the pattern is not a regular expression, that would cost too much, or nothing was left to spend.
    case untried
}
