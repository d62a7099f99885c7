/// The members that are typing now, as far as they have told. Pure.
struct TypingIndicators: Sendable {
    /// A sign of typing is good for so long.
    static let duration = Duration.seconds(6)
    /// So often at most a sign of typing is sent.
    static let interval = Duration.seconds(3)

    private var typing: [(id: String, name: String, until: ContinuousClock.Instant)] = []

    mutating func began(_ person: Person, now: ContinuousClock.Instant) {
        self.ended(person.id)
        self.typing.append((person.id, person.shownName, now + Self.duration))
    }

    mutating func ended(_ id: String) {
        self.typing.removeAll { $0.id == id }
    }

    mutating func expire(now: ContinuousClock.Instant) {
        self.typing.removeAll { $0.until <= now }
    }

    /// `nil` while nobody is.
    var text: String? {
        let names = self.typing.map(\.name)
        switch names.count {
        case 0: return nil
        case 1: return "\(names[0]) is typing…"
        case 2: return "\(names[0]) and \(names[1]) are typing…"
        default: return "several people are typing…"
        }
    }
}
