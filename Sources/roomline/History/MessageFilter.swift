import Foundation

/// Which messages somebody looks for.
struct MessageFilter: Sendable {
    /// What is looked for in the text; for a message that is no text, in its JSON. `nil`: anything.
    let pattern: NSRegularExpression?
    /// The sender's name or id.
    let sender: String?
    let times: Range<Date>

    /// - Parameters:
    ///   - text: as it stands, unless `isExpression`; `nil`: any.
    ///   - isExpression: it is a regular expression in the syntax that tokens and history rules have, too.
    /// - Throws: where the expression is none.
    init(
        text: String?,
        isExpression: Bool,
        ignoresCase: Bool,
        sender: String?,
        times: Range<Date>
    ) throws(CommandFailure) {
        do {
            self.pattern = try text.map { text in
                try NSRegularExpression(
                    pattern: isExpression ? text : NSRegularExpression.escapedPattern(for: text),
                    options: ignoresCase ? [.caseInsensitive] : []
                )
            }
        } catch {
            throw CommandFailure(code: .usage, text: "\(text ?? "") is no regular expression")
        }
        self.sender = sender
        self.times = times
    }

    func matches(_ message: AdminMessage) -> Bool {
        guard self.times.contains(message.date) else { return false }
        if let sender, message.sender.id != sender, message.person.name != sender { return false }
        guard let pattern else { return true }
        guard let text = message.text else { return false }
        return pattern.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
