import RoomClient

/// The rules that hold in the room, as far as they were told. Pure.
struct ChatRules: Equatable, Sendable {
    private var isLocked = false
    private var interval = Duration.zero
    var isMutedHere = false
    var isMutedEverywhere = false

    mutating func noticed(_ notice: ModeratorNotice) {
        switch notice.code {
        case .roomLocked?: self.isLocked = true
        case .roomUnlocked?: self.isLocked = false
        case .slowMode?: self.interval = notice.interval ?? .zero
        default: break
        }
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
