import Foundation

/// Why a pattern is not a regular expression. Foundation, whose syntax counts, says only that it is none; Swift's parser, whose syntax is
/// nearly the same, says why.
enum PatternFault {
    static func text(of pattern: String) -> String {
        "\(TerminalText.line(pattern)) is not a regular expression\(self.reason(pattern).map { ": \($0)" } ?? "")"
    }

    private static func reason(_ pattern: String) -> String? {
        do {
            _ = try Regex(pattern)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
