import RoomClient

/// The row under the prompt. Pure.
struct ChatStatus: Sendable {
    private static let mostNames = 5
    private static let longestRoom = 24

    var room: String
    /// Empty where the room does not tell.
    var people: [String] = []
    var typing: String?
    var unsettled = 0
    var isLeaving = false
    var trouble: String?
    var rules: String?

    var text: String {
        let room = self.room.shortened(toColumns: Self.longestRoom)
        return [room, self.rules, self.trouble ?? self.presence, self.sending, self.typing].compactMap(\.self).joined(
            separator: " · "
        )
    }

    private var presence: String? {
        switch self.people.count {
        case 0: nil
        case 1: "nobody else here"
        case ...Self.mostNames: self.people.sorted().joined(separator: ", ")
        default: "\(self.people.count) people"
        }
    }

    private var sending: String? {
        let messages = self.unsettled == 1 ? "1 message" : "\(self.unsettled) messages"
        if self.isLeaving { return "waiting for \(messages), Ctrl-C leaves now" }
        // One that is on its way is nothing special.
        return self.unsettled > 1 || (self.unsettled == 1 && self.trouble != nil) ? "\(messages) not sent yet" : nil
    }
}

/// The rules that hold in the room, as far as they were told. Pure.
struct ChatRules: Equatable, Sendable {
    private var isLocked = false
    private var interval = Duration.zero
    private var isMutedHere = false
    private var isMutedEverywhere = false

    mutating func noticed(_ notice: ModeratorNotice) {
        switch notice.code {
        case .roomLocked?: self.isLocked = true
        case .roomUnlocked?: self.isLocked = false
        case .slowMode?: self.interval = notice.interval ?? .zero
        default: break
        }
    }

    mutating func muted(everywhere: Bool) {
        if everywhere { self.isMutedEverywhere = true } else { self.isMutedHere = true }
    }

    mutating func unmuted(everywhere: Bool) {
        if everywhere { self.isMutedEverywhere = false } else { self.isMutedHere = false }
    }

    /// The next connection is told of what lasts.
    mutating func connectionLost() { self = ChatRules() }

    /// `nil` where nothing is out of the ordinary.
    var text: String? {
        let muted = self.isMutedHere || self.isMutedEverywhere
        let slow = self.interval > .zero ? "slow mode, \(self.interval.components.seconds) s" : nil
        let texts = [muted ? "muted" : nil, self.isLocked ? "locked" : nil, slow].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: " · ")
    }
}

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
