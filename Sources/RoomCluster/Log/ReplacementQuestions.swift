import NIOCore

/// When to ask for what stands in the place of erased records, and when to take it that nothing does: a server may have erased a
/// record before it has what stands there. One that does not answer says nothing.
///
/// Pure: times come in.
struct ReplacementQuestions {
    enum Due: Equatable {
        case ask(UInt64)
        case giveUp(UInt64)
    }

    private struct Question {
        let first: NIODeadline
        var newest: NIODeadline
        /// A server has said that it has nothing.
        var isDenied = false
    }

    private var asked: [UInt64: Question] = [:]

    /// Servers are asked again after that.
    private static let pause = TimeAmount.milliseconds(250)
    private let patience: TimeAmount

    /// - Parameter patience: for so long servers have to say that nothing stands in a place before that is believed.
    init(patience: TimeAmount) {
        self.patience = patience
    }

    /// - Parameter wanted: the places whose replacements are not known.
    mutating func due(_ wanted: [UInt64], now: NIODeadline) -> [Due] {
        wanted.compactMap { place in
            guard let question = self.asked[place] else {
                self.asked[place] = Question(first: now, newest: now)
                return .ask(place)
            }
            if question.isDenied, now - question.first >= self.patience { return .giveUp(place) }
            guard now - question.newest >= Self.pause else { return nil }
            self.asked[place]?.newest = now
            return .ask(place)
        }
    }

    /// A server has nothing for this place.
    mutating func denied(_ place: UInt64) { self.asked[place]?.isDenied = true }

    mutating func ended(_ place: UInt64) { self.asked[place] = nil }

    /// The connection was away, or the stream is followed anew: what was said before may not hold any more.
    mutating func restarted() { self.asked = [:] }
}
