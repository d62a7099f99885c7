import ArgumentParser
import Foundation
import RoomJSON

/// `PATTERN=publish,subscribe,history:100,moderate`: some of what there is to permit, for the rooms in whose name the pattern
/// is found.
struct PermissionArgument: Equatable, Sendable {
    let pattern: String
    /// `publish`, `subscribe` or `moderate`
    let words: [String]
    /// How many of the newest messages.
    let history: Int?

    /// - Throws: `ValidationError` that names what is wrong, and says what there is.
    init(_ argument: String) throws {
        // A pattern may have an equals sign, and what is permitted has none.
        guard let sign = argument.lastIndex(of: "="), sign > argument.startIndex else {
            throw ValidationError("it has to be PATTERN=WORDS, such as '^lobby$=publish,subscribe'.")
        }
        let pattern = String(argument[..<sign])
        // The broker takes a pattern that is none for one that matches nothing; here somebody can still be told.
        guard (try? NSRegularExpression(pattern: pattern)) != nil else {
            let fault = PatternFault.text(of: pattern)
            throw ValidationError("\(fault); '^lobby$' is one room, '.*' is every room.")
        }
        let parts = argument[argument.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false)
        var words: [String] = []
        var history: Int?
        for part in parts.map(String.init) {
            if let count = part.wholeMatch(of: /history(?::(?<count>[0-9]{1,15}))?/), history == nil {
                history = count.count.flatMap { Int($0) } ?? Self.mostHistory
            } else if ["publish", "subscribe", "moderate"].contains(part), !words.contains(part) {
                words.append(part)
            } else if words.contains(part) || part.hasPrefix("history") && history != nil {
                throw ValidationError("\(part) is given twice: say it once.")
            } else {
                throw ValidationError(
                    "\"\(part)\" permits nothing; there are publish, subscribe, moderate and history:N."
                )
            }
        }
        self.pattern = pattern
        self.words = words
        self.history = history
    }

    /// Where no number stands behind `history`: as many as a reply of the broker can have.
    private static let mostHistory = 100

    /// As the token has it.
    ///
    /// - Parameter isGranted: whether it is allowed or denied.
    func fields(isGranted: Bool) -> [JSONTree.Field] {
        self.words.map { .init($0, .bool(isGranted)) }
            + (self.history.map { [.init("history", .integer(isGranted ? $0 : 0))] } ?? [])
    }
}
