package import NIOCore

/// When to ask for what stands in the place of erased records, and when to take it that nothing does.
///
/// Pure: times come in.
package struct ReplacementQuestions {
    package enum Due: Equatable {
        case ask(UInt64)
        case giveUp(UInt64)
    }

    private var asked: [UInt64: (first: NIODeadline, newest: NIODeadline)] = [:]

    /// A server that does not answer, or has it not yet, is asked again after that.
    private static let pause = TimeAmount.milliseconds(250)
    private let patience: TimeAmount

    /// - Parameter patience: for so long nothing stands in a place before that is believed.
    package init(patience: TimeAmount) {
        self.patience = patience
    }

    /// - Parameter wanted: the places whose replacements are not known.
    package mutating func due(_ wanted: [UInt64], now: NIODeadline) -> [Due] {
        wanted.compactMap { place in
            guard let asked = self.asked[place] else {
                self.asked[place] = (now, now)
                return .ask(place)
            }
            if now - asked.first >= self.patience { return .giveUp(place) }
            guard now - asked.newest >= Self.pause else { return nil }
            self.asked[place]?.newest = now
            return .ask(place)
        }
    }

    package mutating func ended(_ place: UInt64) { self.asked[place] = nil }
}
