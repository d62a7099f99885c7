/// The words behind the name of a ban or a mute.
struct ModerationTerm: Equatable, Sendable {
    /// `nil`: until it is lifted.
    var duration: Duration?
    var reason: String?
    /// All messages of the member go, too.
    var isRedacting = false

    fileprivate static let redaction = "--redact"
}

extension ModerationTerm {
    /// - Parameter text: `1h why`, `for 1h why`, `why 1h`, `why`, with `--redact` in front of or behind a time in front. A time
    ///   that is the last word is the time, too: without one, a ban or a mute would have no end.
    init(_ text: String) throws(ModerationTarget.ParseError) {
        var words = text.split(separator: " ").map(String.init)[...]
        self.isRedacting = Self.take(Self.redaction, from: &words)
        let isFor = words.count > 1 && Self.take("for", from: &words)
        if let word = words.first, isFor || word.first?.isASCII == true && word.first?.isNumber == true {
            guard let seconds = DurationArgument(argument: word)?.wholeSeconds else {
                throw ModerationTarget.ParseError(text: "\(word) is not a time; it has to be like 10m, 1h or 30d")
            }
            self.duration = .seconds(seconds)
            words.removeFirst()
        }
        self.isRedacting = Self.take(Self.redaction, from: &words) || self.isRedacting
        if self.duration == nil, let seconds = words.last.flatMap({ DurationArgument(argument: $0)?.wholeSeconds }) {
            self.duration = .seconds(seconds)
            words.removeLast()
            if words.last?.lowercased() == "for" { words.removeLast() }
        }
        try self.refuseSlip(in: words.suffix(2).joined(separator: " "))
        guard !words.contains(where: { $0.lowercased() == Self.redaction }) else {
            let text = "--redact stands right behind the name or the time, the reason behind it"
            throw ModerationTarget.ParseError(text: text)
        }
        self.reason = words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// A time at the end that nothing understands: the sanction would have no end.
    private func refuseSlip(in end: String) throws(ModerationTarget.ParseError) {
        let slip = /(?i)(?:^|.* )(-?\d+ ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)[.,]?)/
        guard self.duration == nil, let time = end.wholeMatch(of: slip)?.1 else { return }
        throw ModerationTarget.ParseError(text: "\(time) is not a time; it has to be like 10m, 1h or 30d")
    }

    private static func take(_ word: String, from words: inout ArraySlice<String>) -> Bool {
        guard words.first?.lowercased() == word else { return false }
        words.removeFirst()
        return true
    }
}
