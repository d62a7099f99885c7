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
